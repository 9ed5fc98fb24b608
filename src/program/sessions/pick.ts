/** A session to resume: the last one of a directory, or one that a person chooses from a list. */
import { Effect, Stream } from "effect"
import { Prompt, TerminalCapabilities } from "effect/cli"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import { badUsage, Ended, failWith } from "../exit.ts"
import { clip, oneLine } from "../format.ts"
import { ago, shownPath, shownTitle, stateOf } from "./cells.ts"
import type { Scene } from "./table.ts"
import { currentScene } from "./table.ts"

const mostChoices = 200

const sessionsOf = (cli: string, directory?: string) =>
  Effect.gen(function* () {
    const { list } = yield* SessionHistory
    const some = list({ cli, outside: true, directory, limit: mostChoices })
    return yield* Stream.runCollect(Stream.filter(some, ({ state }) => state !== "quarantined"))
  })

export const lastSession = Effect.fn(...untraced("Pick.lastSession"))(function* (cli: string, directory: string) {
  const [last] = yield* sessionsOf(cli, directory)
  if (last !== undefined) return last
  return yield* failWith(`--continue: ${oneLine(cli)} has no session in ${directory} yet; leave it out to begin one`, 1)
})

export const choiceText = (session: SessionInfo, { surface, now, home }: Scene): string => {
  // The list has a mark before each row.
  const room = Math.max(20, surface.columns - 4)
  const { text } = stateOf(session, now)
  const isKnown = text !== "" && text !== "outside"
  const path = shownPath(session.directory, home, Math.floor(room / 3))
  const facts = [ago(session.usedAt, now), path, isKnown ? text : ""].filter((part) => part !== "").join(" · ")
  const visible = clip(facts, Math.floor((room * 2) / 3))
  return clip(`${clip(shownTitle(session), Math.max(8, room - visible.length - 3))} · ${visible}`, room)
}

export const pickSession = Effect.fn(...untraced("Pick.pickSession"))(function* (cli: string) {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) {
    return yield* failWith(
      "--resume needs an id where no list can be shown: reins sessions --outside has the ids",
      badUsage
    )
  }
  const sessions = yield* sessionsOf(cli)
  if (sessions.length === 0) return yield* failWith(`--resume: ${oneLine(cli)} has no session yet`, 1)
  const scene = yield* currentScene
  const choices = sessions.map((session) => ({ title: choiceText(session, scene), value: session }))
  return yield* Prompt.run(Prompt.AutoComplete({ message: "Go on with which session?", choices, maxPerPage: 10 })).pipe(
    Effect.catchTag("QuitError", () => Effect.fail(new Ended({ exitCode: 130 })))
  )
})
