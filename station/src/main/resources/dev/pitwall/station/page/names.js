// @ts-check
import { getJson } from './api.js';
import { shortName } from './format.js';

const BATCH = 1024;
const UNKNOWN = { short: '', full: '' };

/** The texts of one rank's name ids, fetched when they are first drawn. */
export class NameCache {
  /** @param {string} runId @param {number} rank @param {() => void} onChange */
  constructor(runId, rank, onChange) {
    this.runId = runId;
    this.rank = rank;
    this.onChange = onChange;
    /** @type {Map<number, { short: string, full: string }>} */
    this.known = new Map();
    /** @type {Set<number>} */
    this.wanted = new Set();
    this.fetching = false;
  }

  /** The short name, or '' until it has come. @param {number} id */
  get(id) {
    return this.find(id).short;
  }

  /** The name as recorded, or '' until it has come. @param {number} id */
  full(id) {
    return this.find(id).full;
  }

  /** @param {number} id */
  find(id) {
    const name = this.known.get(id);
    if (!name) this.wanted.add(id);
    return name ?? UNKNOWN;
  }

  /** Fetches what was asked for since the last call. */
  async fetchWanted() {
    if (this.fetching || this.wanted.size === 0) return;
    this.fetching = true;
    const ids = [...this.wanted].slice(0, BATCH);
    try {
      /** @type {string[]} */
      const texts = await getJson('/api/names', {
        run: this.runId,
        rank: this.rank,
        ids: ids.join(','),
      });
      texts.forEach((text, i) => this.known.set(ids[i], { short: shortName(text), full: text }));
      this.onChange();
    } finally {
      ids.forEach((id) => this.wanted.delete(id));
      this.fetching = false;
    }
  }
}
