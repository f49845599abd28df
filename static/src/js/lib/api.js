// Requests to the JSON interface. A refusal becomes a Problem with a sentence for people.
import { gettext } from "./i18n.js";

export class Problem extends Error {
  constructor(status, body = {}) {
    super(body.detail || gettext("This did not work. What you had is kept; try again."));
    this.status = status;
    this.code = body.code ?? "";
    this.fields = body.fields ?? {};
  }

  /** The first sentence about a field, or else the sentence of the whole. */
  get sentence() {
    const [first] = Object.values(this.fields).flat();
    return first ?? this.message;
  }
}

export const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";

/** A fetch with session and CSRF token; throws Problem for anything but success. */
export async function send(method, address, { json, headers = {}, signal } = {}) {
  const options = { method, signal, credentials: "same-origin", headers: { Accept: "application/json", ...headers } };
  if (method !== "GET") options.headers["X-CSRFToken"] = csrfToken();
  if (json !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(json);
  }
  const response = await connect(address, options);
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function connect(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { code: "offline", detail: gettext("The connection dropped. What you had is kept; try again.") });
  }
}

/** The Problem that a refused response tells of. */
export async function problemOf(response) {
  if (response.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
  let body = {};
  try {
    body = await response.json();
  } catch {
    body = {};
  }
  return new Problem(response.status, body);
}

const readJson = async (response) => (response.status === 204 ? null : parse(await response.text()));
const parse = (text) => (text ? JSON.parse(text) : null);

export const get = async (address, options) => readJson(await send("GET", address, options));
export const post = async (address, json = {}, options = {}) => readJson(await send("POST", address, { json, ...options }));
export const patch = async (address, json) => readJson(await send("PATCH", address, { json }));
export const remove = async (address) => readJson(await send("DELETE", address));
