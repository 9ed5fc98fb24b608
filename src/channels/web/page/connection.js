/**
 * The one stream from the server, by `fetch`, so that the key stands in a header. It is opened again with back-off after
 * any end, from the last row that was drawn; a stream that is silent for longer than three heartbeats is dead.
 *
 * @typedef {{ state: "connecting" | "open" | "expired" | "missing" } | { state: "lost" | "offline", at: number } | { state: "refused", at: number, why: string }} Link `at`: when it is tried again, by the page's clock; `why`: in the server's words
 * @typedef {{ now: number, first: number, oldest: number, newest: number }} Hello `first`: of the conversation; `oldest`: where the stream begins
 */
import { makeFrames } from "./frames.js"
import { request } from "./server.js"

const firstWaitMs = 500
const longestWaitMs = 15_000
const silentMs = 50_000
const checkMs = 10_000
/** After this many failed attempts the server counts as stopped. */
const attemptsUntilOffline = 3

/**
 * @param {object} on
 * @param {(hello: Hello) => void} on.hello
 * @param {(row: import("./types.js").Row) => void} on.row
 * @param {(state: import("./types.js").State) => void} on.state
 * @param {(link: Link) => void} on.link
 */
export const makeConnection = (on) => {
  let conversation = ""
  let last = 0
  let attempts = 0
  let isOpen = false
  let checkedAt = 0
  /** @type {AbortController | undefined} */
  let current
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const path = () => {
    const query = new URLSearchParams()
    if (conversation !== "") query.set("conversation", conversation)
    if (conversation !== "" && last > 0) query.set("after", String(last))
    return `events?${query}`
  }

  /** @param {import("./frames.js").Frame} frame */
  const take = ({ id, event, data }) => {
    const value = JSON.parse(data)
    if (event === "hello") {
      attempts = 0
      isOpen = true
      on.hello(value)
      on.link({ state: "open" })
    } else if (event === "state") on.state(value)
    else if (id !== undefined) {
      const number = Number(id)
      if (number <= last) return
      last = number
      on.row({ ...value, id: number })
    }
  }

  /** @param {Response} response @param {AbortController} mine */
  const read = async (response, mine) => {
    if (!response.body) return
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const frames = makeFrames()
    for (;;) {
      const silence = setTimeout(() => mine.abort(), silentMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      for (const frame of frames(value)) {
        if (mine !== current) return
        take(frame)
      }
    }
  }

  /** @param {string} [why] of a server that is there, and gives no stream */
  const wait = (why) => {
    isOpen = false
    attempts += 1
    const ms = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2)
    clearTimeout(timer)
    timer = setTimeout(open, ms)
    const at = Date.now() + ms
    if (why !== undefined) return on.link({ state: "refused", at, why })
    on.link({ state: attempts > attemptsUntilOffline ? "offline" : "lost", at })
  }

  const open = async () => {
    clearTimeout(timer)
    current?.abort()
    isOpen = false
    const mine = new AbortController()
    current = mine
    /** @type {string | undefined} */
    let why
    try {
      const { response, failure } = await request(path(), {
        signal: mine.signal,
        headers: { accept: "text/event-stream", ...(last > 0 ? { "last-event-id": String(last) } : {}) }
      })
      if (mine !== current) return
      if (failure?.problem === "expired") return on.link({ state: "expired" })
      if (failure?.status === 404 && conversation !== "") return on.link({ state: "missing" })
      if (failure && failure.status > 0) why = failure.error
      if (response) await read(response, mine)
    } catch {
      // Cut, silent, or no frame of ours: opened again below.
    }
    if (mine === current) wait(why)
  }

  return {
    /** Streams this conversation from its newest turns; "" is the list alone. @param {string} id */
    show: (id) => {
      conversation = id
      last = 0
      attempts = 0
      on.link({ state: "connecting" })
      void open()
    },
    /** Tries at once. */
    retry: () => {
      attempts = Math.min(attempts, attemptsUntilOffline)
      void open()
    },
    /** Something else could not reach the server: the stream may be dead without knowing it. */
    check: () => {
      if (attempts > 0 || !isOpen || Date.now() - checkedAt < checkMs) return
      checkedAt = Date.now()
      void open()
    },
    isWaiting: () => attempts > 0,
    forget: () => {
      last = 0
    },
    /** The number of the newest row that was drawn. */
    last: () => last
  }
}
