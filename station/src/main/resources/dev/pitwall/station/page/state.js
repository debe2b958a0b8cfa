// @ts-check
// What the page knows. Changed only through `set`; whoever subscribed draws again.

/** @typedef {import('./layout.js').Run} Run */

/**
 * @typedef {{ id: string, title: string, state: 'reading' | 'ready' | 'failed', fraction_read: number }} OpenRun
 * @typedef {{ predicted: number, low: number, high: number, baseline: number, run: string, notes: string[] }} Prediction
 * @typedef {{ sql: string, busy: boolean, error: string, result: any }} Query
 * @typedef {{ text: string, total: number, at: number, hits: number[][] }} Search
 */

export const state = {
  theme: /** @type {'system' | 'light' | 'dark'} */ ('system'),
  /** whether the station has said which runs are open */
  started: false,
  runs: /** @type {OpenRun[]} */ ([]),
  recent: /** @type {{ number: number, name: string, folder: string }[]} */ ([]),
  run: /** @type {Run | null} */ (null),
  compared: /** @type {Run | null} */ (null),
  comparedStep: [0, 0],
  report: /** @type {any} */ (null),
  reportError: '',
  fixes: /** @type {Set<string> | null} null until it is known which can be simulated */ (null),
  difference: /** @type {any} */ (null),
  fixesOn: /** @type {Set<string>} */ (new Set()),
  prediction: /** @type {Prediction | null} */ (null),
  predicting: false,
  finding: -1,
  evidence: 0,
  slice: /** @type {any} */ (null),
  sliceSection: 0,
  statistics: /** @type {any} */ (null),
  search: /** @type {Search} */ ({ text: '', total: 0, at: -1, hits: [] }),
  query: /** @type {Query} */ ({
    sql: 'SELECT name, count(*) AS n, sum(dur_ns) / 1e6 AS ms\nFROM slices\nWHERE category = \'kernel\'\nGROUP BY name\nORDER BY ms DESC\nLIMIT 20',
    busy: false,
    error: '',
    result: null,
  }),
  side: /** @type {'findings' | 'report' | 'scale'} */ ('findings'),
  drawer: /** @type {'details' | 'statistics' | 'table' | 'query'} */ ('details'),
  drawerOpen: false,
  screen: /** @type {'timeline' | 'side' | 'drawer'} */ ('timeline'),
  criticalPath: false,
  /** a run that the station still reads, and how much of it is read */
  reading: /** @type {{ title: string, fraction: number } | null} */ (null),
  opening: '',
  error: '',
  help: false,
  rows: /** @type {import('./layout.js').Row[]} */ ([]),
};

/** @type {Set<() => void>} */
const watchers = new Set();
let scheduled = false;

/** @param {Partial<typeof state>} change */
export function set(change) {
  Object.assign(state, change);
  if (!scheduled) {
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      watchers.forEach((watcher) => watcher());
    });
  }
}

/** @param {() => void} watcher */
export function watch(watcher) {
  watchers.add(watcher);
}
