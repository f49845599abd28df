// Reads a stream of server-sent events and prints the turn that the page makes of it.
import { text } from "node:stream/consumers";
import { emptyTurn, reduce } from "../../static/src/js/chat/reducer.js";
import { createParser, frameOf } from "../../static/src/js/lib/sse.js";

let turn = emptyTurn();
createParser((event) => { turn = reduce(turn, frameOf(event)); }).push(await text(process.stdin));
process.stdout.write(JSON.stringify(turn));
