// A conversation on the page: shows its turns, asks, joins running answers, follows the others'.
import { Problem, get, post } from "../lib/api.js";
import { one, perFrame } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { uuid } from "../lib/ids.js";
import { createAnnouncer } from "./announcer.js";
import { emptyTurn, isFinal, reduce } from "./reducer.js";
import { ask, follow } from "./stream.js";
import { createTurnView, updateTurnView } from "./turn-view.js";

const POLL = 4000;

/**
 * `log` is the scrolling region, `address` the conversation's, `person` who is looking.
 * `onBusy(isAnswering)` and `onLine(isUp)` tell of one's own running answer; `contextFor()`
 * gives what goes along with a question.
 */
export function createConversation(log, { address, notebookId, person, canAsk, shared, contextFor, onBusy, onLine, onRefused }) {
  const list = one("[data-turns]", log);
  const announcer = createAnnouncer(one("[data-announcer]", log.parentElement));
  const turns = new Map();
  let mine = null;

  const act = {
    canAsk: () => canAsk() && mine === null,
    ask: (question) => send(question),
    async copy(turn) {
      await navigator.clipboard?.writeText(turn.text.replace(/\s?\[\d{1,3}\]/g, ""));
    },
  };

  function put(turn) {
    const view = createTurnView(turn, { act });
    const entry = { turn, view, draw: perFrame(() => draw(entry)) };
    turns.set(turn.key, entry);
    const old = one(`[data-turn="${CSS.escape(turn.key)}"]`, list);
    if (old) old.replaceWith(view.root);
    else list.append(view.root);
    updateTurnView(view, turn);
    return entry;
  }

  function draw(entry) {
    const follows = isAtEnd(log);
    updateTurnView(entry.view, entry.turn);
    if (follows) log.scrollTop = log.scrollHeight;
  }

  function handlersFor(entry) {
    return {
      onFrame(frame) {
        entry.turn = reduce(entry.turn, frame);
        announcer.update(entry.turn);
        entry.draw();
      },
      onLine,
      // The stream can tell no more, but the turn is over: what is stored is the truth.
      onLost: refresh,
    };
  }

  async function send(question) {
    const key = uuid();
    const turn = emptyTurn({ key, question, author: { ...person, is_me: true }, asked_at: new Date().toISOString() });
    const entry = put(turn);
    one("[data-empty]", log)?.remove();
    log.scrollTop = log.scrollHeight;
    announcer.start(turn);
    mine = entry;
    onBusy(true);
    try {
      const handlers = handlersFor(entry);
      await ask(
        { notebook_id: notebookId, message: question, client_turn_id: key, ...(await contextFor()) },
        { ...handlers, onAccepted: (id) => { entry.turn = { ...entry.turn, id }; } },
      );
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      entry.view.root.remove();
      turns.delete(key);
      onRefused(error.sentence);
      return false;
    } finally {
      mine = null;
      onBusy(false);
      entry.draw();
    }
  }

  async function joinRunning(entry) {
    if (entry.isFollowed || isFinal(entry.turn) || !entry.turn.id) return;
    entry.isFollowed = true;
    const own = entry.turn.author.is_me && mine === null;
    if (own) { mine = entry; onBusy(true); }
    announcer.start(entry.turn);
    await follow(entry.turn.id, entry.turn.last_seq, handlersFor(entry));
    entry.isFollowed = false;
    if (own) { mine = null; onBusy(false); }
    entry.draw();
  }

  async function refresh() {
    const stored = await get(address).catch(() => null);
    if (stored) show(stored);
  }

  function show(stored) {
    for (const each of stored.turns) {
      const known = [...turns.values()].find(({ turn }) => turn.id === each.id);
      if (!known) put(shaped(each));
      else if (!known.isFollowed && known !== mine && known.turn.last_seq < each.last_seq) {
        known.turn = { ...shaped(each), key: known.turn.key };
        known.draw();
      }
    }
    for (const entry of turns.values()) if (entry !== mine) joinRunning(entry);
  }

  async function loadEarlier(button) {
    const first = Math.min(...[...turns.values()].map(({ turn }) => turn.position ?? Infinity));
    const stored = await get(`${address}?before=${first}`).catch((error) => onRefused(error.message));
    if (!stored) return;
    const before = log.scrollHeight - log.scrollTop;
    for (const each of stored.turns.toReversed()) list.prepend(put(shaped(each)).view.root);
    log.scrollTop = log.scrollHeight - before;
    if (!stored.earlier) button.parentElement.remove();
  }

  return {
    start(stored) {
      show(stored);
      log.scrollTop = log.scrollHeight;
      const earlier = one("[data-earlier]", log);
      earlier?.addEventListener("click", () => loadEarlier(earlier));
      if (shared) setInterval(() => { if (!document.hidden && mine === null) refresh(); }, POLL);
    },
    send,
    async stop() {
      if (mine?.turn.id) await post(`/api/turns/${mine.turn.id}/stop`).catch((error) => onRefused(error.message));
    },
    get isAnswering() { return mine !== null; },
  };
}

const gone = () => ({ name: gettext("Somebody who left"), initials: "?", is_me: false });

/** A stored turn as the page keeps it. */
export const shaped = (stored) => ({ ...stored, key: stored.id, phase: null, author: stored.author ?? gone() });

/** Whether the reader is at the end, give or take a line. */
export const isAtEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 48;

