// @ts-check
import { getBytes } from './api.js';

/** Buckets of a tile as a power of two, as the station cuts them. */
export const TILE_BITS = 9;
const FINEST_BITS = 3;
const COARSEST_BITS = 40;
const MAXIMUM_CACHE_BYTES = 96 << 20;
const MAXIMUM_REQUESTS = 2;
const TRACKS_A_REQUEST = 24;
const MAXIMUM_TILES_A_REQUEST = 256;

/**
 * One track's marks in one tile, as columns; lane `l` has the marks `laneFrom[l]` to `laneFrom[l + 1]`.
 * @typedef {{ start: Float32Array, end: Float32Array, row: Int32Array, name: Int32Array,
 *   count: Int32Array, kind: Uint8Array, busy: Uint8Array, laneFrom: Int32Array, bytes: number,
 *   used: number }} Tile
 */

/**
 * @param {ArrayBuffer} body
 * @param {(track: number, index: number, tile: Tile) => void} each
 */
function decode(body, each) {
  const view = new DataView(body);
  const sections = view.getInt32(0, true);
  let at = 4;
  for (let section = 0; section < sections; section++) {
    const index = view.getInt32(at, true);
    const track = view.getInt32(at + 4, true);
    const marks = view.getInt32(at + 8, true);
    at += 12;
    const lane = new Uint8Array(body, at + marks * 21, marks);
    const lanes = marks === 0 ? 0 : lane[marks - 1] + 1;
    const laneFrom = new Int32Array(lanes + 1);
    for (let i = 0; i < marks; i++) laneFrom[lane[i] + 1]++;
    for (let i = 0; i < lanes; i++) laneFrom[i + 1] += laneFrom[i];
    each(track, index, {
      start: new Float32Array(body, at, marks),
      end: new Float32Array(body, at + marks * 4, marks),
      row: new Int32Array(body, at + marks * 8, marks),
      name: new Int32Array(body, at + marks * 12, marks),
      count: new Int32Array(body, at + marks * 16, marks),
      kind: new Uint8Array(body, at + marks * 20, marks),
      busy: new Uint8Array(body, at + marks * 22, marks),
      laneFrom,
      bytes: marks * 24 + 200,
      used: 0,
    });
    at += marks * 24;
  }
}

/** @param {number} nanosPerPixel the bits whose bucket is at most a pixel */
export function bitsFor(nanosPerPixel) {
  return Math.max(FINEST_BITS, Math.min(COARSEST_BITS, Math.floor(Math.log2(nanosPerPixel))));
}

/** The tiles of one run, fetched when they are first drawn and dropped when long unused. */
export class TileCache {
  /** @param {string} runId @param {number} durationNanos @param {() => void} onChange */
  constructor(runId, durationNanos, onChange) {
    this.runId = runId;
    this.onChange = onChange;
    this.durationNanos = durationNanos;
    this.rootBits = Math.min(
      COARSEST_BITS,
      Math.max(FINEST_BITS, Math.ceil(Math.log2(Math.max(2, durationNanos + 1))) - TILE_BITS),
    );
    /** @type {Map<number, Map<string, Tile>>} */
    this.levels = new Map();
    /** @type {Set<string>} */
    this.inFlight = new Set();
    this.requests = 0;
    this.bytes = 0;
    this.clock = 0;
    this.failed = '';
  }

  /** @param {number} bits @param {number} track @param {number} index @returns {Tile | undefined} */
  get(bits, track, index) {
    const tile = this.levels.get(bits)?.get(`${track}/${index}`);
    if (tile) tile.used = this.clock;
    return tile;
  }

  /** Marks a new frame, for the order of use. */
  tick() {
    this.clock++;
  }

  /**
   * Fetches the missing tiles of a view.
   * @param {number[]} tracks visible ones, in order of importance
   * @param {number} bits
   * @param {number} from first tile
   * @param {number} to last tile
   */
  want(tracks, bits, from, to) {
    if (this.failed) return;
    const last = Math.floor(this.durationNanos / 2 ** (bits + TILE_BITS));
    const first = Math.max(0, from);
    const end = Math.min(last, to);
    if (end < first) return;
    /** @type {number[]} */
    const missing = [];
    for (const track of tracks) {
      for (let index = first; index <= end; index++) {
        const key = `${track}/${index}`;
        if (!this.levels.get(bits)?.has(key) && !this.inFlight.has(`${bits}:${key}`)) {
          missing.push(track);
          break;
        }
      }
    }
    const size = Math.max(
      1,
      Math.min(TRACKS_A_REQUEST, Math.floor(MAXIMUM_TILES_A_REQUEST / (end - first + 1))),
    );
    for (let at = 0; at < missing.length && this.requests < MAXIMUM_REQUESTS; at += size) {
      this.fetch(missing.slice(at, at + size), bits, first, end);
    }
  }

  /** @param {number[]} tracks @param {number} bits @param {number} from @param {number} to */
  async fetch(tracks, bits, from, to) {
    /** @type {string[]} */
    const keys = [];
    for (const track of tracks) {
      for (let index = from; index <= to; index++) keys.push(`${bits}:${track}/${index}`);
    }
    keys.forEach((key) => this.inFlight.add(key));
    this.requests++;
    try {
      const body = await getBytes('/api/tiles', {
        run: this.runId,
        bits,
        from,
        to,
        tracks: tracks.join(','),
      });
      let level = this.levels.get(bits);
      if (!level) this.levels.set(bits, (level = new Map()));
      decode(body, (track, index, tile) => {
        tile.used = this.clock;
        this.bytes += tile.bytes;
        /** @type {Map<string, Tile>} */ (level).set(`${track}/${index}`, tile);
      });
      if (this.bytes > MAXIMUM_CACHE_BYTES) this.drop();
    } catch (failure) {
      this.failed = String(failure);
    } finally {
      this.requests--;
      keys.forEach((key) => this.inFlight.delete(key));
      this.onChange();
    }
  }

  /** Drops the tiles unused for longest, but for the root. */
  drop() {
    /** @type {{ level: Map<string, Tile>, key: string, tile: Tile }[]} */
    const all = [];
    for (const [bits, level] of this.levels) {
      if (bits >= this.rootBits) continue;
      for (const [key, tile] of level) all.push({ level, key, tile });
    }
    all.sort((a, b) => a.tile.used - b.tile.used);
    for (const { level, key, tile } of all) {
      if (this.bytes < MAXIMUM_CACHE_BYTES / 2 || tile.used === this.clock) break;
      level.delete(key);
      this.bytes -= tile.bytes;
    }
  }
}
