// A set of chosen records that survives paging and filters. Pure but for `changed`.
export const MOST = 1000;

export function createSelection(changed) {
  const chosen = new Map();
  return {
    get size() { return chosen.size; },
    has: (id) => chosen.has(id),
    entries: () => [...chosen].map(([id, title]) => ({ id, title })),
    ids: () => [...chosen.keys()],
    /** Adds or removes; false when the limit does not let another in. */
    set(id, title, on) {
      if (on && !chosen.has(id) && chosen.size >= MOST) return false;
      if (on) chosen.set(id, title);
      else chosen.delete(id);
      changed();
      return true;
    },
    clear() { chosen.clear(); changed(); },
  };
}
