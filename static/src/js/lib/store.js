// What this browser remembers for a person. A full or forbidden storage is no reason to fail.
const owner = globalThis.document?.documentElement.dataset.person ?? "";
const key = (name) => `quadern:${owner}:${name}`;

export function recall(name, fallback = null) {
  try {
    const text = localStorage.getItem(key(name));
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    if (value === null || value === "" ) localStorage.removeItem(key(name));
    else localStorage.setItem(key(name), JSON.stringify(value));
  } catch {
    // Private windows may forbid storage; the page works without a memory.
  }
}
