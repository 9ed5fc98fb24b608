/** Laws of a campaign, however its hosts died; pure. */
import type { CliLine, HostLine, Logs } from "./logs.ts"

export interface Finding {
  readonly kind:
    | "overlap"
    | "lost turn"
    | "doubled turn"
    | "begun twice"
    | "lost thread"
    | "wrong row"
    | "wrong answer"
    | "damaged"
    | "survivor"
    | "broken"
  readonly detail: string
}

const only = <Is extends HostLine["is"]>(lines: ReadonlyArray<HostLine>, is: Is) =>
  lines.filter((line): line is Extract<HostLine, { readonly is: Is }> => line.is === is)

const groups = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(items, keyOf)

/** As it was meant: the same turn may be asked again. */
const firstAsked = (hosts: ReadonlyArray<HostLine>) =>
  new Map(
    only(hosts, "asked")
      .toReversed()
      .map((line) => [line.turn, line])
  )

/** With what is known of the other one: how long its host had been dead, and whether it made a fork. */
const overlaps = ({ cli, kills }: Logs): ReadonlyArray<Finding> =>
  cli
    .filter(({ is }) => is === "overlap")
    .map(({ session, turn, other, at }) => {
      const before = cli.find(({ is, pid }) => is === "begin" && pid === other)
      const kill = before && kills.find(({ host }) => host === before.host)
      const fate =
        kill === undefined ? "whose host lived" : `whose host was killed ${Math.round(at - kill.at)} ms before`
      const what = before === undefined ? "that had not begun" : `of ${before.turn}${before.isFork ? ", a fork," : ""}`
      return { kind: "overlap", detail: `${turn} on ${session} beside process ${other} ${what} ${fate}` }
    })

/** An acknowledged turn is in the history of its session, once. */
const histories = ({ hosts, histories: files }: Logs): ReadonlyArray<Finding> => {
  const acknowledged = only(hosts, "ended").filter(({ outcome }) => outcome === "completed")
  const lost = acknowledged.flatMap(
    ({ turn, session = "" }): ReadonlyArray<Finding> =>
      files.get(session)?.includes(turn) === true ? [] : [{ kind: "lost turn", detail: `${turn} is not in ${session}` }]
  )
  const doubled = [...files].flatMap(
    ([session, turns]): ReadonlyArray<Finding> =>
      new Set(turns).size === turns.length ? [] : [{ kind: "doubled turn", detail: `${session}: ${turns.join(" ")}` }]
  )
  return [...lost, ...doubled]
}

const begun = (cli: ReadonlyArray<CliLine>) => cli.filter(({ is }) => is === "begin").sort((a, b) => a.at - b.at)

const begunTwice = ({ cli }: Logs): ReadonlyArray<Finding> =>
  [...groups(begun(cli), ({ turn }) => turn)].flatMap(
    ([turn, all]): ReadonlyArray<Finding> =>
      all.length === 1 ? [] : [{ kind: "begun twice", detail: `${turn}: ${all.length} processes` }]
  )

/**
 * A turn that begins when the last one of its conversation has ended well goes on with that session. Not looked at where the
 * caller wanted another, or where it was forgotten in between.
 */
const threads = ({ cli, hosts }: Logs): ReadonlyArray<Finding> => {
  const request = firstAsked(hosts)
  const ends = new Map(
    only(hosts, "ended")
      .filter(({ outcome }) => outcome === "completed")
      .map((line) => [line.turn, line])
  )
  const changes = changesOf(hosts)
  const byConversation = groups(begun(cli), ({ turn }) => request.get(turn)?.conversation ?? "")
  return [...byConversation].flatMap(([conversation, all]) =>
    all.flatMap((line, index): ReadonlyArray<Finding> => {
      const before = all[index - 1]
      const end = before && ends.get(before.turn)
      const question = request.get(line.turn)
      if (before === undefined || end === undefined || question === undefined || end.at > line.at) return []
      if (before.isFork || line.isFork || question.how === "fresh" || request.get(before.turn)?.how === "fork")
        return []
      if (changes.some((each) => each.conversation === conversation && each.to > before.at && each.from < line.at))
        return []
      if (line.resumed === before.session) return []
      const detail = `${line.turn} of ${conversation} went on with ${line.resumed ?? "nothing"}, after ${before.turn} on ${before.session}`
      return [{ kind: "lost thread", detail }]
    })
  )
}

const forEver = Number.POSITIVE_INFINITY

/** When the conversation may have been changed: until the change was reported, or for good. */
const changesOf = (hosts: ReadonlyArray<HostLine>) => {
  const ends = only(hosts, "changed")
  return only(hosts, "changes").flatMap(({ what, conversation, host, at }) => {
    const end = ends.find(
      (each) => each.what === what && each.conversation === conversation && each.host === host && each.at >= at
    )
    return what === "read" ? [] : [{ conversation, from: at, to: end?.at ?? forEver }]
  })
}

const rows = ({ cli, hosts, rows: stored }: Logs): ReadonlyArray<Finding> => {
  const states = new Map(stored.map(({ turn_id, state }) => [turn_id, state]))
  const done = only(hosts, "ended").filter(({ outcome }) => outcome === "completed")
  const missing = done.flatMap(({ turn }): ReadonlyArray<Finding> => {
    const state = states.get(turn)
    return state === "done"
      ? []
      : [{ kind: "wrong row", detail: `${turn} was acknowledged, and is ${state ?? "not there"}` }]
  })
  const early = begun(cli).flatMap(({ turn }): ReadonlyArray<Finding> => {
    const state = states.get(turn)
    const isKnown = state === "spawned" || state === "done" || state === "interrupted"
    return isKnown ? [] : [{ kind: "wrong row", detail: `${turn} was begun, and is ${state ?? "not there"}` }]
  })
  return [...missing, ...early]
}

/** The same turn asked again has the same answer. */
const answers = ({ hosts }: Logs): ReadonlyArray<Finding> => {
  const done = only(hosts, "ended").filter(({ outcome }) => outcome === "completed")
  return [...groups(done, ({ turn }) => turn)].flatMap(([turn, all]): ReadonlyArray<Finding> => {
    const texts = new Set(all.map(({ text, session }) => `${text} on ${session}`))
    return texts.size === 1 ? [] : [{ kind: "wrong answer", detail: `${turn}: ${[...texts].join(", ")}` }]
  })
}

const rest = ({ hosts, integrity, survivors }: Logs): ReadonlyArray<Finding> => [
  ...(integrity === "ok" ? [] : [{ kind: "damaged", detail: integrity } as const]),
  ...(survivors === 0 ? [] : [{ kind: "survivor", detail: `${survivors} CLIs live` } as const]),
  ...only(hosts, "broke").map(({ problem }): Finding => ({ kind: "broken", detail: problem }))
]

export const findingsOf = (logs: Logs): ReadonlyArray<Finding> =>
  [overlaps, histories, begunTwice, threads, rows, answers, rest].flatMap((check) => check(logs))

const middle = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** How long those waited, in ms, whose predecessor's host was killed in its middle while they waited. */
const waitsAfterKills = ({ cli, hosts, kills }: Logs): ReadonlyArray<number> => {
  const request = firstAsked(hosts)
  const ended = new Set(cli.filter(({ is }) => is === "end").map(({ turn }) => turn))
  const all = begun(cli)
  return all.flatMap((line, index) => {
    const before = all.slice(0, index).findLast(({ session }) => session === line.resumed)
    if (before === undefined || ended.has(before.turn)) return []
    const kill = kills.find(({ host, at }) => host === before.host && at > before.at && at < line.at)
    return kill === undefined || (request.get(line.turn)?.at ?? forEver) > kill.at ? [] : [line.at - kill.at]
  })
}

export const figuresOf = (logs: Logs) => {
  const { hosts, cli, kills } = logs
  const ended = only(hosts, "ended")
  const outcomes = [...groups(ended, ({ outcome }) => outcome)].map(([name, all]) => [name, all.length] as const)
  const waits = waitsAfterKills(logs)
  return {
    kills: kills.length,
    asked: only(hosts, "asked").length,
    spawned: begun(cli).length,
    resumed: begun(cli).filter(({ resumed, isFork }) => resumed !== undefined && !isFork).length,
    forked: begun(cli).filter(({ isFork }) => isFork).length,
    changes: Object.fromEntries(
      [...groups(only(hosts, "changed"), ({ what, outcome }) => `${what} ${outcome}`)]
        .map(([name, all]) => [name, all.length] as const)
        .sort()
    ),
    sessions: logs.histories.size,
    outcomes: Object.fromEntries(outcomes.sort()),
    states: Object.fromEntries(
      [...groups(logs.rows, ({ state }) => state)].map(([name, all]) => [name, all.length] as const).sort()
    ),
    waitsAfterKills: waits.length,
    medianWaitMs: Math.round(middle(waits) ?? 0),
    longestWaitMs: Math.round(Math.max(0, ...waits))
  }
}
