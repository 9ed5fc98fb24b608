/** Telegram, beside a server in a process of its own, as the channel of `bridgeOf.mjs`. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Telegram } from "../../../dist/bridge.js"

/** @typedef {{ readonly url: string, readonly token: string }} Place */
/**
 * @typedef {object} Seen
 * @property {Set<unknown>} progress
 * @property {number} answers
 * @property {number} taken
 * @property {Set<unknown>} stopped
 * @property {Set<unknown>} acknowledged
 */

/**
 * @param {Seen} known What people see, as the server tells it.
 * @param {() => void} look Called whenever it has changed.
 */
export const startTelegram = (known, look) =>
  Effect.gen(function* () {
    const server = fork(fileURLToPath(new URL("../stub/telegram.mjs", import.meta.url)), { stdio: "inherit" })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.disconnect()))
    const [place] = yield* Effect.promise(() => once(server, "message"))
    const { url, token } = /** @type {Place} */ (place)
    /** @type {string | undefined} */
    let presser
    server.on("message", (/** @type {Readonly<Record<string, number | boolean>>} */ reported) => {
      if (reported["progress"] !== undefined) known.progress.add(String(reported["progress"]))
      if (reported["stopped"] !== undefined) known.stopped.add(String(reported["stopped"]))
      if (reported["acknowledged"] === true) known.acknowledged.add(presser)
      if (reported["answer"] !== undefined) known.answers += 1
      if (reported["taken"] !== undefined) known.taken = Number(reported["taken"])
      look()
    })
    // All that is said at a time is one message to the server.
    /** @type {Array<[number, string]>} */
    let waiting = []
    const flush = () => {
      if (waiting.length > 0) server.send({ say: waiting })
      waiting = []
    }
    return {
      channel: yield* Telegram.channel({ token, apiRoot: url, menu: false }),
      say: (/** @type {string} */ person, /** @type {string} */ text) => {
        if (waiting.push([Number(person), text]) === 1) queueMicrotask(flush)
      },
      press: (/** @type {string} */ person) => {
        flush()
        presser = person
        server.send({ press: Number(person) })
      }
    }
  })
