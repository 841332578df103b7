/** The path of a thumbnail below the path of its media; null for what is not drawn. The server rounds up to sizes it makes. */
export function thumbnailPath(
  viewPath: string | null | undefined,
  size: `${number}x${number}-${'crop' | 'scale'}`,
) {
  return typeof viewPath === 'string' ? `${viewPath}/thumbnail/${size}` : null;
}
