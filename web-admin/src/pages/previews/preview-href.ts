/** The page of a preview. Who is shown `…` in place of a part of its address finds it by id. */
export function previewHref({ id, url }: { id: string; url: string }): string {
  const address = `/previews/view?url=${encodeURIComponent(url)}`;
  return url.includes('…') ? `${address}&id=${encodeURIComponent(id)}` : address;
}
