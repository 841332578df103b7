import type { MediaInspector } from '../../../preview/media/storage/media-jobs.js';
import { failed, fine, unproved, warning, type NamedCheck } from './health-check.js';

/** What the system admits of files and sockets, and what the settings would use. */
export interface OpenFiles {
  /** `null`: the system does not tell. */
  limit: number | null;
  /** Open now. */
  used: number | null;
  /** Connections the settings admit, and how many of them the limit leaves. */
  connections: { configured: number; admitted: number };
}

const NEARLY_ALL = 0.9;

/** Whether the process may open as many files and sockets as its settings admit. */
export function openFilesCheck(look: () => OpenFiles, whose: 'server' | 'command' = 'server'): NamedCheck {
  const judge: NamedCheck['look'] = async () => {
    const { limit, used, connections } = look();
    if (limit === null || used === null)
      return unproved('The system tells neither a limit nor how many are open.');
    const of = whose === 'server' ? '' : ' of this command';
    const sentence = `${used} of ${limit} files and sockets${of} are open.`;
    const advice = 'Raise LimitNOFILE of the unit, or "ulimit -n" where it is started.';
    if (used > limit * NEARLY_ALL) return failed(sentence, advice);
    const { configured, admitted } = connections;
    if (admitted >= configured) return fine(sentence);
    return warning(
      `${limit} files and sockets${of} may be open: ${admitted} connections instead of ${configured} (server.max_connections).`,
      advice,
      '/settings?q=server.max_connections',
    );
  };
  return { key: 'open_files', title: 'Open files', how: 'asked the system', isOfProcess: true, look: judge };
}

/** A small image of each type that is decoded, in base64. */
const IMAGES: Readonly<Record<string, string>> = {
  'image/jpeg':
    '/9j/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAACAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAA//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/ALgEG//Z',
  'image/png':
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQImWPoWHWmY9UZBggFADbGB/n/CuyqAAAAAElFTkSuQmCC',
  'image/gif': 'R0lGODlhAgACAIAAAExpcYiqzCH5BAUAAAAALAAAAAACAAIAAAICjFMAOw==',
  'image/webp': 'UklGRiwAAABXRUJQVlA4ICAAAABwAQCdASoCAAIAB0CWJYgCdAFAAAD+2O0Tdl7iMM6wAA==',
  'image/avif':
    'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAAB4AAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAmbWRhdBIACgc4ADaQENBpMhEewmKk4AAWAACQNY48HbVXUA==',
};

/** Whether images of every type are decoded and thumbnails of both types made. */
export function imageCodecCheck(inspector: Pick<MediaInspector, 'render'>): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    const image = { sizes: [{ width: 1, height: 1, method: 'scale' } as const], maxPixels: 1000 };
    for (const [type, text] of Object.entries(IMAGES)) {
      const options = { ...image, blurhash: false, size: null };
      const { decodeError } = await inspector.render(Buffer.from(text, 'base64'), { type, image: options });
      if (decodeError !== null)
        return failed(
          `${type} cannot be decoded: ${decodeError}.`,
          'Install again on this machine, so that the package sharp fits its system and processor.',
        );
    }
    const types = Object.keys(IMAGES).map((type) => type.slice('image/'.length));
    return fine(`Images are decoded: ${types.join(', ')}.`);
  };
  return { key: 'image_codecs', title: 'Image codecs', how: 'decoded a small image of each type', look };
}
