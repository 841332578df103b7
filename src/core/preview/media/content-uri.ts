export interface ContentUriParts {
  /** Setting media_scheme, without colon. */
  scheme: string;
  serverName: string;
  mediaId: string;
}

/** `<media_scheme>://<server_name>/<media_id>`, the value of `og:image` (SPEC §2.3). */
export function contentUri({ scheme, serverName, mediaId }: ContentUriParts): string {
  return `${scheme}://${serverName}/${mediaId}`;
}
