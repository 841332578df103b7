/** Saves the bytes of a media as a file, whatever they are; the browser draws none of them. */
export function download(basePath: string, mediaId: string): void {
  const link = document.createElement('a');
  link.href = `${basePath}/api/media/${encodeURIComponent(mediaId)}`;
  link.download = '';
  link.click();
}
