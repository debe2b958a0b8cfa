// @ts-check
// Where every row of the timeline lies, in CSS pixels from the top of its content.

/**
 * @typedef {{ id: number, rank: number, kind: string, label: string, lanes: number, slices: number, busy_ns: number }} Track
 * @typedef {{ rank: number, base_ns: number, slices: number, step_source: string, steps: [number, number][], losses: { code: string, count: number, text: string }[] }} Rank
 * @typedef {{ id: string, title: string, duration_ns: number, aligned_by: string, ranks: Rank[], tracks: Track[], counters: Counter[] }} Run
 * @typedef {{ name: string, unit: string, rank: number, device: number, largest: number, times?: number[], low?: number[], high?: number[] }} Counter its values come later
 * @typedef {{ finding: number, severity: string, track: number, start: number, duration: number, title: string }} Flag
 * @typedef {{ rank: number, row: number, track: number, lane: number, start_ns: number, dur_ns: number, name: string }} PathNode
 */

/**
 * One run as the timeline shows it; several stand one above the other. `flags` is null where none are shown.
 * @typedef {{ run: Run, title: string, offset: number, tiles: import('./tiles.js').TileCache,
 *   names: import('./names.js').NameCache[], counters: Counter[], flags: Flag[] | null,
 *   criticalPath: PathNode[] }} Section
 */

/**
 * @typedef {{ type: 'section' | 'rank' | 'steps' | 'flags' | 'counter' | 'track', y: number, height: number,
 *   section: number, rank: number, track: Track | null, counter: number, lane: number, key: string,
 *   pinned: boolean, label: string }} Row
 */

/**
 * What the user chose of the rows, by their keys: on top, not shown, of the other height, one line.
 * @typedef {{ pinned: Set<string>, hidden: Set<string>, toggled: Set<string>, folded: Set<string> }} Choice
 */

const LANE = 18;
const NARROW_LANE = 6;
const WIDE_FROM_LANES = 14;
/** With two runs one above the other, both must fit on a screen. */
const WIDE_FROM_LANES_COMPARED = 3;
/** Where two runs or many counters must fit. */
const LOW_COUNTER = 26;
const HEADER = 26;
const STEPS = 22;
const FLAGS = 22;
const COUNTER = 40;
const GAP = 6;

/**
 * @param {Section[]} sections
 * @param {Choice} choice
 * @returns {{ rows: Row[], height: number }}
 */
export function layOut(sections, choice) {
  /** @type {Row[]} */
  const rows = [];
  const compared = sections.length > 1;
  const wideFrom = compared ? WIDE_FROM_LANES_COMPARED : WIDE_FROM_LANES;
  let y = 0;
  /** @param {Partial<Row> & { type: Row['type'], height: number, section: number, key: string }} row */
  const add = (row) => {
    rows.push({
      rank: -1, track: null, counter: -1, lane: 0, pinned: false, label: '', y, ...row,
    });
    y += row.height;
  };
  /** @param {number} section @param {Track} track @param {boolean} pinned */
  const addTrack = (section, track, pinned) => {
    const key = trackKey(section, track.id);
    if (choice.hidden.has(key)) return;
    const narrow = track.lanes > wideFrom !== choice.toggled.has(key);
    const lane = narrow ? NARROW_LANE : LANE;
    add({
      type: 'track', height: track.lanes * lane + GAP, section, rank: track.rank, track, lane, key,
      pinned, label: track.label,
    });
  };
  sections.forEach((section, number) => {
    for (const track of section.run.tracks) {
      if (choice.pinned.has(trackKey(number, track.id))) addTrack(number, track, true);
    }
  });
  sections.forEach((section, number) => {
    if (sections.length > 1) {
      add({ type: 'section', height: HEADER, section: number, key: `s${number}`, label: section.title });
    }
    if (section.flags !== null) {
      add({ type: 'flags', height: FLAGS, section: number, key: `s${number}flags`, label: 'findings' });
    }
    section.run.ranks.forEach((rank, rankIndex) => {
      const rankKey = `s${number}r${rankIndex}`;
      if (section.run.ranks.length > 1) {
        const shut = choice.folded.has(rankKey);
        add({
          type: 'rank', height: HEADER, section: number, rank: rankIndex, key: rankKey,
          label: `rank ${rank.rank}`, lane: LANE,
          track: shut ? busiest(section.run.tracks.filter((track) => track.rank === rankIndex)) : null,
        });
        if (shut) return;
      }
      if (rank.steps.length > 0) {
        add({
          type: 'steps', height: STEPS, section: number, rank: rankIndex, key: `${rankKey}steps`,
          label: 'steps',
        });
      }
      const own = section.run.tracks.filter(
        (track) => track.rank === rankIndex && !choice.pinned.has(trackKey(number, track.id)),
      );
      for (const track of own) if (track.kind === 'stream') addTrack(number, track, false);
      const counters = section.counters.filter((counter) => counter.rank === rankIndex);
      const devices = new Set(counters.map((counter) => counter.device).filter((device) => device >= 0));
      section.counters.forEach((counter, index) => {
        const key = `${rankKey}c${counter.name}${counter.device}`;
        if (counter.rank === rankIndex && !choice.hidden.has(key)) {
          add({
            type: 'counter', height: compared || counters.length > 3 ? LOW_COUNTER : COUNTER, section: number, rank: rankIndex, counter: index, key,
            label: devices.size > 1 && counter.device >= 0 ? `${counter.name} (GPU ${counter.device})` : counter.name,
          });
        }
      });
      for (const track of own) if (track.kind === 'cpu') addTrack(number, track, false);
      for (const track of own) if (track.kind === 'other') addTrack(number, track, false);
    });
  });
  return { rows, height: y };
}

/** The stream that works most; the thread where there is no stream. @param {Track[]} tracks */
export function busiest(tracks) {
  const streams = tracks.filter((track) => track.kind === 'stream');
  return (streams.length > 0 ? streams : tracks).reduce(
    (best, track) => (best === null || track.busy_ns > best.busy_ns ? track : best),
    /** @type {Track | null} */ (null),
  );
}

/** A folded rank is one line, so that many can be compared; with two there is room for the first. @param {Run} run @param {number} section */
export function foldedAtFirst(run, section) {
  const keys = run.ranks.map((_, rank) => `s${section}r${rank}`);
  return keys.length > 2 ? keys : keys.slice(1);
}

/** @param {number} section @param {number} track */
export function trackKey(section, track) {
  return `s${section}t${track}`;
}
