// Follows a turn to its end: asks or joins, and joins again from the last frame when the line breaks.
import { Problem, csrfToken, get, problemOf } from "../lib/api.js";
import { readFrames } from "../lib/sse.js";

const SILENCE = 45_000;
const PAUSES = [500, 1000, 2000, 4000, 8000];

/**
 * Calls `onFrame` for every frame once, in order, until `done`. `onLine(isUp)` tells when the
 * connection is unstable. Throws Problem only when the question itself was refused.
 */
export async function ask(message, { onAccepted, ...handlers }, signal) {
  const response = await fetch("/api/chat", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(message),
    signal,
  }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Problem(0);
  });
  if (!response.ok) throw await problemOf(response);
  const turnId = response.headers.get("X-Turn");
  onAccepted(turnId);
  return follow(turnId, 0, handlers, signal, response);
}

/** Joins a turn after frame `after`; the same promises as `ask`. */
export async function follow(turnId, after, { onFrame, onLine, onLost }, signal, first = null) {
  let last = after;
  let isOver = false;
  let tries = 0;
  let response = first;

  const take = (frame) => {
    if (!(frame.seq > last)) return;
    last = frame.seq;
    isOver = frame.type === "done";
    tries = 0;
    onFrame(frame);
  };

  while (!isOver && !signal?.aborted) {
    const before = last;
    try {
      response ??= await join(turnId, last, signal);
      onLine(true);
      await readFrames(response, take, SILENCE);
    } catch (error) {
      if (error.name === "AbortError" && signal?.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500) {
        onLost();
        return;
      }
    }
    response = null;
    if (isOver) return;
    if (last === before && (await isFinished(turnId))) {
      onLost();
      return;
    }
    onLine(false);
    await pause(PAUSES[Math.min(tries, PAUSES.length - 1)]);
    tries += 1;
  }
}

async function join(turnId, last, signal) {
  const response = await fetch(`/api/turns/${turnId}/stream`, {
    credentials: "same-origin",
    headers: { Accept: "text/event-stream", "Last-Event-ID": String(last) },
    signal,
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function isFinished(turnId) {
  const turn = await get(`/api/turns/${turnId}`).catch(() => null);
  return turn !== null && !["queued", "streaming"].includes(turn.state);
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
