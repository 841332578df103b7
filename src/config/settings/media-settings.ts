import { z } from 'zod';
import { choice, count, flag, kindOf, path, pixels, size, text } from '../kinds/value-kinds.js';
import { baseUrl } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';

const S3_SETTINGS = {
  bucket: optional(text('the name of a bucket', /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/), {
    doc: 'The bucket; it must exist',
    example: 'vidimus-media',
  }),
  endpoint: optional(baseUrl('https', 'http'), {
    doc: 'Address of the store; unset: AWS in this region',
    example: 'https://s3.example.org/',
  }),
  region: setting(text('a region such as us-east-1', /^[A-Za-z0-9-]{1,64}$/), {
    default: 'us-east-1',
    doc: 'Region of the bucket; it is part of signatures',
  }),
  prefix: setting(text('a path with a slash at its end', /^(?:[A-Za-z0-9._-]{1,100}\/){0,5}$/), {
    default: '',
    doc: 'Prefix of all object keys, such as vidimus/; nothing else may write below it',
  }),
  access_key_id: optional(text('an access key ID', /^[\x21-\x7e]{1,256}$/), {
    doc: 'Access key ID',
    example: 'vidimus',
  }),
  secret_access_key: optional(text('a secret access key', /^[\x20-\x7e]{1,256}$/), {
    doc: 'Secret access key; prefer the file below or the environment',
    example: 'a secret',
    secret: true,
  }),
  secret_access_key_path: optional(path('a file that holds only the secret access key'), {
    doc: 'File with the secret access key, readable by its owner only; it is read again every few minutes',
    example: './data/s3.secret',
  }),
};

const THUMBNAIL_FORM = 'a map with width, height (pixels) and method (crop or scale)';
const thumbnailSizes = kindOf(
  z
    .array(
      z.strictObject(
        {
          width: count(1, 4096).schema,
          height: count(1, 4096).schema,
          method: choice(['crop', 'scale']).schema,
        },
        { error: THUMBNAIL_FORM },
      ),
      { error: `a list, each entry ${THUMBNAIL_FORM}` },
    )
    .max(20, { error: 'at most 20 sizes' }),
  `a list, each entry ${THUMBNAIL_FORM}`,
);

export const MEDIA_SETTINGS = {
  media_store_path: setting(path('a folder'), {
    default: './data/media',
    doc: 'Where images and pages of previews are kept',
  }),
  media: group('Which storage media is kept in', {
    storage: setting(choice(['disk', 's3']), {
      default: 'disk',
      doc: 'disk: the folder media_store_path. s3: object storage that speaks S3, which several instances may share',
    }),
    min_free_space: setting(size(), {
      default: '200M',
      doc: 'Free disk space that media must leave; previews that would need it are refused. 0: no limit',
    }),
    s3: group('Object storage; each database needs a prefix of its own', S3_SETTINGS),
  }),
  media_scheme: optional(text('a URI scheme', /^[a-z][a-z0-9+.-]{0,30}$/), {
    doc: 'Scheme of content URIs. Unset: that of the dialect (svc, or mxc for matrix)',
    example: 'mxc',
  }),
  enable_authenticated_media: setting(flag(), {
    default: true,
    doc: 'Only users with an access token may load media',
  }),
  max_image_pixels: setting(pixels({ min: '1K', max: '1G' }), {
    default: '32M',
    doc: 'Images with more pixels are stored but not decoded',
  }),
  thumbnail_sizes: setting(thumbnailSizes, {
    default: [
      { width: 32, height: 32, method: 'crop' },
      { width: 96, height: 96, method: 'crop' },
      { width: 320, height: 240, method: 'scale' },
      { width: 640, height: 480, method: 'scale' },
      { width: 800, height: 600, method: 'scale' },
    ],
    doc: 'Thumbnails created from every image',
  }),
  dynamic_thumbnails: setting(flag(), {
    default: false,
    doc: 'Make other sizes when requested, rounded up to a small set',
  }),
};
