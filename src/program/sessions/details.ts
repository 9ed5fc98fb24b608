/** All that is known of a session, a line each; pure. */
import type { SessionInfo } from "../../contract/Sessions.ts"
import { oneLine } from "../format.ts"
import { paint } from "../style.ts"
import { ago, isTime } from "./ago.ts"
import { costOf, holderText, shownTitle } from "./cells.ts"
import type { Scene } from "./table.ts"

const states: Readonly<Record<SessionInfo["state"], string>> = {
  live: "can be gone on with",
  dead: "the CLI no longer has it",
  quarantined: "set aside: it failed in a way that a resume would repeat",
  archived: "archived"
}

const origins: Readonly<Record<SessionInfo["origin"], string>> = {
  reins: "begun by Reins",
  adopted: "adopted from the CLI's own",
  outside: "one of the CLI's own; reins sessions adopt takes it over"
}

const time = (at: number, now: number) =>
  isTime(at) ? `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC, ${ago(at, now)}` : ago(at, now)

export const detailLines = (
  session: SessionInfo,
  resumeLine: string | undefined,
  { surface, now }: Scene
): ReadonlyArray<string> => {
  const { holder, createdAt, turns, costUsd } = session
  const facts: ReadonlyArray<readonly [string, string | undefined]> = [
    ["id", session.id],
    ["cli", session.cli],
    ["session", session.sessionId],
    ["conversation", session.conversation?.join(" / ")],
    ["directory", session.directory],
    ["model", session.model],
    ["origin", origins[session.origin]],
    ["state", holder === undefined ? states[session.state] : holderText(holder, now)],
    ["begun", createdAt === undefined ? undefined : time(createdAt, now)],
    ["last used", time(session.usedAt, now)],
    ["turns", turns === undefined ? undefined : String(turns)],
    ["cost", costUsd === undefined ? undefined : costOf(session)],
    ["forked from", session.parent],
    ["home", session.home],
    ["resume", resumeLine]
  ]
  const lines = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`${paint(surface, "dim", name.padEnd(13))}${oneLine(text)}`]
  )
  return [paint(surface, "bold", shownTitle(session)), ...lines]
}
