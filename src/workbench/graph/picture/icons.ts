/** The little pictures on pills, each on a field of 12 by 12. */

/** What has a little picture. */
export type Icon = 'form' | 'url' | 'sample' | 'roots' | 'unknown' | 'pinned' | 'disposed' | 'once';

/** The strokes of each icon. */
export const ICONS: Readonly<Record<Icon, string>> = {
  // A page with two lines and a tick.
  form: 'M2.5 1.5h7v9h-7zM4.5 4.2h3M4.5 6.6l1 1 2-2',
  // Two links of a chain.
  url: 'M5 7 7.2 4.8M5.2 3.6 6.6 2.2a2 2 0 0 1 3 3L8.2 6.6M6.8 8.4 5.4 9.8a2 2 0 0 1-3-3L3.8 5.4',
  // A spark.
  sample: 'M6 1.2 7.2 4.8 10.8 6 7.2 7.2 6 10.8 4.8 7.2 1.2 6 4.8 4.8z',
  // A folder.
  roots: 'M1.5 3.2v6.6h9V4.4H6L5 3.2z',
  unknown: 'M4.2 4.3a1.8 1.8 0 1 1 2.6 1.6C6.2 6.3 6 6.6 6 7.3M6 9.4v.1',
  // A pin.
  pinned: 'M4.2 1.6h3.6M5 1.6v3.2L3.4 6.8h5.2L7 4.8V1.6M6 6.8v3.8',
  // An arrow that comes back.
  disposed: 'M9.6 4.4A4 4 0 1 0 10 6.8M10 1.8v2.8H7.2',
  // One tick in a ring.
  once: 'M6 1.4a4.6 4.6 0 1 0 .01 0M4 6.1l1.5 1.5L8.2 4.8',
};
