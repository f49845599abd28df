// Server-sent events read from a fetch body: https://html.spec.whatwg.org/#event-stream-interpretation
// EventSource cannot POST and cannot say from which event on, so the stream is parsed here.

/** Takes text in pieces cut anywhere; calls `onEvent({id, type, data})` for each whole event. */
export function createParser(onEvent, onComment = () => {}) {
  let rest = "";
  let event = blank();

  function line(text) {
    if (text === "") return dispatch();
    if (text.startsWith(":")) return onComment();
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "id") event.id = value;
    else if (field === "event") event.type = value;
    else if (field === "data") event.data.push(value);
  }

  function dispatch() {
    if (event.data.length > 0) onEvent({ id: event.id, type: event.type, data: event.data.join("\n") });
    event = blank();
  }

  return {
    push(text) {
      rest += text;
      // A carriage return at the very end may be half of a line end: wait for the next piece.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const each of lines) line(each);
    },
  };
}

const blank = () => ({ id: "", type: "message", data: [] });

/** A frame of a turn out of an event; nothing when its data is not an object. */
export function frameOf({ id, type, data }) {
  try {
    const value = JSON.parse(data);
    if (value === null || typeof value !== "object") return null;
    return { seq: Number(id), type, data: value };
  } catch {
    return null;
  }
}

/**
 * Reads a response until it ends, or until nothing, not even a heartbeat, has come for `patience`
 * milliseconds: then the connection is given up, not the turn.
 */
export async function readFrames(response, onFrame, patience) {
  const parser = createParser((event) => {
    const frame = frameOf(event);
    if (frame) onFrame(frame);
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await withPatience(reader.read(), patience);
    if (done) break;
    parser.push(decoder.decode(value, { stream: true }));
  }
  await reader.cancel();
}

function withPatience(reading, patience) {
  let timer = 0;
  const silence = new Promise((resolve) => { timer = setTimeout(() => resolve({ done: true }), patience); });
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer));
}
