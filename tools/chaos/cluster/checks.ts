/** Laws of a cluster, however its machines died; pure. */
import type { CliLine } from "../conversations/logs.ts"
import type { ClientLine, Ended, Logs, TurnRow } from "./logs.ts"

export interface Finding {
  readonly kind:
    | "lost turn"
    | "left open"
    | "unanswered"
    | "cut off"
    | "begun twice"
    | "never begun"
    | "out of order"
    | "overlap"
    | "wrong answer"
    | "survivor"
    | "problem"
  readonly detail: string
}

type Check = (logs: Logs) => ReadonlyArray<Finding>

const ends: ReadonlyArray<string> = ["done", "interrupted", "late"]
const completed = "completed"
const interrupted = "turn_interrupted"

const endedIn = (clients: ReadonlyArray<ClientLine>) => clients.filter((line): line is Ended => line.is === "ended")

const askedIn = (clients: ReadonlyArray<ClientLine>) => [
  ...new Set(clients.flatMap((line) => (line.is === "asked" ? [line.turn] : [])))
]

const begunIn = (cli: ReadonlyArray<CliLine>) => cli.filter(({ is }) => is === "begin").toSorted((a, b) => a.at - b.at)

const rowsByTurn = (rows: ReadonlyArray<TurnRow>) => new Map(rows.map((row) => [row.turn, row]))

/** All that was sent has a row, and that row is at its end. What a client was told to be refused last may have none. */
const lost: Check = ({ clients, rows }) => {
  const stored = rowsByTurn(rows)
  const last = new Map(clients.flatMap((line) => (line.is === "broke" ? [] : [[line.turn, line]])))
  return askedIn(clients).flatMap((turn): ReadonlyArray<Finding> => {
    const [row, line] = [stored.get(turn), last.get(turn)]
    if (row !== undefined) return []
    const isRefused = line?.is === "ended" && line.outcome !== completed && line.outcome !== interrupted
    return isRefused ? [] : [{ kind: "lost turn", detail: `${turn} has no row` }]
  })
}

const open: Check = ({ rows }) =>
  rows.flatMap(({ turn, state }) =>
    ends.includes(state) ? [] : [{ kind: "left open", detail: `${turn} is ${state}` }]
  )

/** It is known what became of the turn; otherwise it is asked again. */
export const isFinal = ({ outcome, isRetryable = false }: Ended): boolean => outcome === interrupted || !isRetryable

const unanswered: Check = ({ clients }) => {
  const answered = new Set(endedIn(clients).flatMap((line) => (isFinal(line) ? [line.turn] : [])))
  return askedIn(clients).flatMap((turn) =>
    answered.has(turn) ? [] : [{ kind: "unanswered", detail: `no one was told the outcome of ${turn}` }]
  )
}

/** No turn is given up: a runner that is to leave lets it end, and one that died leaves it interrupted. */
const cutOff: Check = ({ clients }) =>
  endedIn(clients).flatMap(({ turn, outcome }) =>
    outcome === "aborted" ? [{ kind: "cut off", detail: `${turn} was ${outcome}` }] : []
  )

const begun: Check = ({ cli, rows }) => {
  const byTurn = Map.groupBy(begunIn(cli), ({ turn }) => turn)
  const twice = [...byTurn].flatMap(([turn, all]): ReadonlyArray<Finding> => {
    const when = all.map(({ pid, at }) => `process ${pid} at ${at.toFixed(0)}`).join(", ")
    return all.length === 1 ? [] : [{ kind: "begun twice", detail: `${turn}: ${when}` }]
  })
  const never = rows.flatMap(({ turn, state, text }): ReadonlyArray<Finding> => {
    if (state !== "done" || text === undefined || text === "" || byTurn.has(turn)) return []
    return [{ kind: "never begun", detail: `${turn} is done: ${text}` }]
  })
  return [...twice, ...never]
}

/** A turn that was refused and asked again had lost its place. */
const order: Check = ({ cli, clients, rows }) => {
  const stored = rowsByTurn(rows)
  const places = begunIn(cli).flatMap(({ turn, at }) => {
    const row = stored.get(turn)
    const isAgain = endedIn(clients).some((line) => line.turn === turn && line.at < at && !isFinal(line))
    return row === undefined || isAgain ? [] : [row]
  })
  return [...Map.groupBy(places, ({ conversation }) => conversation)].flatMap(([conversation, all]) =>
    all.flatMap((place, index): ReadonlyArray<Finding> => {
      const before = all[index - 1]
      if (before === undefined || before.seq <= place.seq) return []
      const detail = `${place.turn} (${place.seq}) of ${conversation} began after ${before.turn} (${before.seq})`
      return [{ kind: "out of order", detail }]
    })
  )
}

/** From the first line of each CLI to its last, or to when it was last seen alive. */
const intervals = ({ cli, seen: known }: Logs) =>
  begunIn(cli).map(({ turn, pid, at }) => {
    const end = cli.find((line) => line.is === "end" && line.pid === pid && line.turn === turn)
    return { turn, pid, from: at, to: end?.at ?? Math.max(at, known.get(pid) ?? at) }
  })

const overlaps: Check = (logs) => {
  const stored = rowsByTurn(logs.rows)
  const byConversation = Map.groupBy(intervals(logs), ({ turn }) => stored.get(turn)?.conversation ?? turn)
  return [...byConversation.values()].flatMap((all) =>
    all.flatMap((one, index) =>
      all.slice(index + 1).flatMap((other): ReadonlyArray<Finding> => {
        if (other.from >= one.to) return []
        const ms = (Math.min(one.to, other.to) - other.from).toFixed(0)
        return [
          { kind: "overlap", detail: `${other.turn} (${other.pid}) beside ${one.turn} (${one.pid}) for ${ms} ms` }
        ]
      })
    )
  )
}

/** The client's answer equals its row's, and the row's answer fits its turn. */
const answers: Check = ({ clients, rows }) => {
  const stored = rowsByTurn(rows)
  const wrong = (detail: string): Finding => ({ kind: "wrong answer", detail })
  const reported = endedIn(clients).flatMap(({ turn, outcome, text }): ReadonlyArray<Finding> => {
    const row = stored.get(turn)
    if (row === undefined || !ends.includes(row.state)) return []
    const is = `${row.state}${row.text === undefined ? "" : `: ${row.text}`}`
    if (outcome === completed && (row.state !== "done" || row.text !== text)) {
      return [wrong(`${turn} was answered ${text}, and is ${is}`)]
    }
    return outcome === interrupted && row.state === "done" ? [wrong(`${turn} was interrupted, and is ${is}`)] : []
  })
  const foreign = rows.flatMap(({ turn, text = "" }) =>
    text === "" || text.startsWith(`${turn} `) ? [] : [wrong(`${turn} has the answer ${text}`)]
  )
  return [...reported, ...foreign]
}

const rest: Check = ({ clients, survivors, problems }) => [
  ...survivors.map((detail): Finding => ({ kind: "survivor", detail })),
  ...problems.map((detail): Finding => ({ kind: "problem", detail })),
  ...clients.flatMap(
    (line): ReadonlyArray<Finding> => (line.is === "broke" ? [{ kind: "problem", detail: line.problem }] : [])
  )
]

export const findingsOf: Check = (logs) =>
  [lost, open, unanswered, cutOff, begun, order, overlaps, answers, rest].flatMap((check) => check(logs))

const counted = (words: ReadonlyArray<string>): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))

/** From the first asking of a turn to the first answer. */
const waits = (clients: ReadonlyArray<ClientLine>) => {
  const answers = endedIn(clients)
  return askedIn(clients)
    .flatMap((turn) => {
      const [request, ended] = [
        clients.find((line) => line.is === "asked" && line.turn === turn),
        answers.find((line) => line.turn === turn)
      ]
      return request === undefined || ended === undefined ? [] : [ended.at - request.at]
    })
    .toSorted((a, b) => a - b)
}

export const figuresOf = ({ clients, cli, rows }: Logs) => {
  const waited = waits(clients)
  return {
    turns: askedIn(clients).length,
    spawned: begunIn(cli).length,
    rows: counted(rows.map(({ state }) => state)),
    told: counted(endedIn(clients).map(({ outcome }) => outcome)),
    medianWaitMs: Math.round(waited[Math.floor(waited.length / 2)] ?? 0),
    longestWaitMs: Math.round(waited.at(-1) ?? 0)
  }
}
