/**
 * The event stream from the server, by `fetch`, which can send the key in a header. After any end it is reopened with backoff,
 * from the last row; a stream that is silent for three heartbeats is dead.
 *
 * @typedef {{ state: "connecting" | "open" | "expired" | "missing" } | { state: "lost" | "offline", at: number } | { state: "refused", at: number, why: string }} Link `at`: time of the next attempt, by the page's clock; `why`: in the server's words
 * @typedef {{ now: number, first: number, oldest: number, newest: number }} Hello `first`: of the conversation; `oldest`: of the stream
 * @typedef {{ id: string | undefined, event: string, data: string }} Frame
 */
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

  /** @param {Frame} frame */
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

  /** @param {string} [why] the server's reason to refuse the stream */
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
      // Cut, silent, or malformed: reopened below.
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
    /** Reopens the stream after another request failed, since it may be dead without notice. */
    check: () => {
      if (attempts > 0 || !isOpen || Date.now() - checkedAt < checkMs) return
      checkedAt = Date.now()
      void open()
    },
    isWaiting: () => attempts > 0,
    forget: () => {
      last = 0
    },
    /** Number of the newest row. */
    last: () => last
  }
}

/** Splits pieces of text into frames of server-sent events. A frame is complete with its blank line. */
const makeFrames = () => {
  let rest = ""
  return (/** @type {string} */ piece) => {
    const text = rest + piece
    // A carriage return at the end may be the first half of a line break.
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text
    const parts = whole.replace(/\r\n?/g, "\n").split("\n\n")
    rest = (parts.pop() ?? "") + text.slice(whole.length)
    return parts.map(frameOf).filter((frame) => frame !== undefined)
  }
}

/** @param {string} text @returns {Frame | undefined} undefined for a comment, which is a heartbeat */
const frameOf = (text) => {
  /** @type {string[]} */
  const data = []
  let event = "message"
  let id
  for (const line of text.split("\n")) {
    const [, name, value = ""] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === "data") data.push(value)
    if (name === "event") event = value
    if (name === "id") id = value
  }
  return data.length === 0 ? undefined : { id, event, data: data.join("\n") }
}
