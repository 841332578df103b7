/** Name of the file in a media store that says which database it belongs to; no row names it. */
export const MEDIA_OWNER_FILE = 'database-id';
