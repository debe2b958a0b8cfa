// @ts-check
// Paints marks as pixels. Bars are axis-parallel, so a lane is one line of pixels copied to all its
// rows: the cost follows the number of marks and pixels, not their height, and needs no GPU.
import { TILE_BITS } from './tiles.js';
import { WAIT } from './palette.js';

/** @typedef {import('./tiles.js').Tile} Tile */
/** @typedef {import('./tiles.js').TileCache} TileCache */
/** @typedef {import('./palette.js').Palette} Palette */

/**
 * A bar wide enough for text.
 * @typedef {{ x: number, end: number, y: number, height: number, name: number, kind: number, rank: number, run: number }} Label
 */

const EDGE_FROM_PIXELS = 4;

export class Raster {
  /** @param {number} width @param {number} height in device pixels */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(width);
    /** @type {number[]} */
    this.waits = [];
    /** Marks painted in this frame. */
    this.painted = 0;
  }

  /** @param {number} colour packed */
  clear(colour) {
    this.pixels.fill(colour);
    this.painted = 0;
  }

  /**
   * Fills a rectangle, clipped.
   * @param {number} x @param {number} y @param {number} width @param {number} height
   * @param {number} colour packed
   */
  fill(x, y, width, height, colour) {
    const from = Math.max(0, Math.floor(x));
    const to = Math.min(this.width, Math.ceil(x + width));
    if (to <= from) return;
    const top = Math.max(0, Math.floor(y));
    const bottom = Math.min(this.height, Math.floor(y + height));
    for (let row = top; row < bottom; row++) {
      this.pixels.fill(colour, row * this.width + from, row * this.width + to);
    }
  }

  /**
   * Paints one lane of a track.
   * @param {TileCache} cache
   * @param {number} track
   * @param {number} lane
   * @param {{ start: number, nanosPerPixel: number }} view time of pixel 0 in the run's time
   * @param {number} bits of the tiles wanted
   * @param {number} y top, may lie outside
   * @param {number} height
   * @param {Palette} palette
   * @param {number} ground colour under the marks
   * @param {number} labelFrom marks at least this wide are given to `label`
   * @param {(x: number, end: number, name: number, kind: number) => void} label
   */
  lane(cache, track, lane, view, bits, y, height, palette, ground, labelFrom, label) {
    const top = Math.max(0, y);
    const bottom = Math.min(this.height, y + height);
    if (bottom <= top) return;
    this.line.fill(ground);
    this.waits.length = 0;
    const tileNanos = 2 ** (bits + TILE_BITS);
    const first = Math.max(0, Math.floor(view.start / tileNanos));
    const last = Math.floor((view.start + this.width * view.nanosPerPixel) / tileNanos);
    for (let index = first; index <= last; index++) {
      this.tile(cache, track, lane, view, bits, index, palette, labelFrom, label);
    }
    for (let row = top; row < bottom; row++) {
      this.pixels.set(this.line, row * this.width);
    }
    for (let i = 0; i < this.waits.length; i += 2) {
      for (let row = top; row < bottom; row++) {
        const base = row * this.width;
        for (let x = this.waits[i]; x < this.waits[i + 1]; x++) {
          if (((x + row) & 7) < 3) this.pixels[base + x] = palette.stripe;
        }
      }
    }
  }

  /**
   * Paints the best that is there for one tile: itself, or a coarser one that covers it, or finer
   * ones inside it.
   * @param {TileCache} cache @param {number} track @param {number} lane
   * @param {{ start: number, nanosPerPixel: number }} view
   * @param {number} bits @param {number} index @param {Palette} palette
   * @param {number} labelFrom
   * @param {(x: number, end: number, name: number, kind: number) => void} label
   */
  tile(cache, track, lane, view, bits, index, palette, labelFrom, label) {
    const exact = cache.get(bits, track, index);
    if (exact) {
      this.marks(exact, lane, view, bits, index, bits, index, palette, labelFrom, label);
      return;
    }
    for (let finer = 1; finer <= 2; finer++) {
      const children = 1 << finer;
      let found = 0;
      for (let child = 0; child < children; child++) {
        if (cache.get(bits - finer, track, index * children + child)) found++;
      }
      if (found === children) {
        for (let child = 0; child < children; child++) {
          const at = index * children + child;
          const tile = /** @type {Tile} */ (cache.get(bits - finer, track, at));
          this.marks(
            tile, lane, view, bits - finer, at, bits - finer, at, palette, labelFrom, label,
          );
        }
        return;
      }
    }
    for (let coarser = bits + 1; coarser <= cache.rootBits; coarser++) {
      const at = Math.floor(index / 2 ** (coarser - bits));
      const tile = cache.get(coarser, track, at);
      if (tile) {
        this.marks(tile, lane, view, coarser, at, bits, index, palette, labelFrom, label);
        return;
      }
    }
  }

  /**
   * @param {Tile} tile
   * @param {number} lane
   * @param {{ start: number, nanosPerPixel: number }} view
   * @param {number} bits of the tile
   * @param {number} index of the tile
   * @param {number} clipBits paint only inside this tile
   * @param {number} clipIndex
   * @param {Palette} palette
   * @param {number} labelFrom
   * @param {(x: number, end: number, name: number, kind: number) => void} label
   */
  marks(tile, lane, view, bits, index, clipBits, clipIndex, palette, labelFrom, label) {
    if (lane + 1 >= tile.laneFrom.length) return;
    const { start, end, kind, busy, name } = tile;
    const line = this.line;
    const scale = 2 ** (bits + TILE_BITS) / view.nanosPerPixel;
    const offset = index * scale - view.start / view.nanosPerPixel;
    const clipScale = 2 ** (clipBits + TILE_BITS) / view.nanosPerPixel;
    const clipStart = clipIndex * clipScale - view.start / view.nanosPerPixel;
    const left = Math.max(0, Math.floor(clipStart));
    const right = Math.min(this.width, Math.ceil(clipStart + clipScale));
    // A mark is painted by the tile it starts in, and by later ones from their own left edge on.
    const limit = clipBits === bits ? this.width : right;
    const lut = palette.lut;
    const to = tile.laneFrom[lane + 1];
    for (let i = tile.laneFrom[lane]; i < to; i++) {
      const from = offset + start[i] * scale;
      if (from >= right) break;
      const until = offset + end[i] * scale;
      let x = from < left ? left : from | 0;
      let stop = until > limit ? limit : Math.floor(until);
      if (stop <= x) {
        if (until < left) continue;
        stop = x + 1;
      }
      if (x >= limit) continue;
      const colour = lut[(kind[i] << 4) | (busy[i] >> 4)];
      if (stop - x > EDGE_FROM_PIXELS) {
        line.fill(colour, x, stop - 1);
        line[stop - 1] = until > limit ? colour : palette.edge[kind[i]];
        if (kind[i] === WAIT && busy[i] === 255) this.waits.push(x, stop);
        if (stop - x >= labelFrom && busy[i] === 255 && (from >= left || left === 0)) label(x, stop, name[i], kind[i]);
      } else {
        while (x < stop) line[x++] = colour;
      }
      this.painted++;
    }
  }
}
