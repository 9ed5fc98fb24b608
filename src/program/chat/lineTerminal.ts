/**
 * `reins chat` at a terminal that cannot be drawn over (`TERM=dumb`): everything is written once, and what is asked is
 * written whole and answered by a line.
 */
import { Clock, Console, Effect, type Stdio, Stream, Terminal } from "effect"
import { begin, paragraph } from "../blocks.ts"
import { show } from "../show.ts"
import type { Surface } from "../style.ts"
import { choicesOf } from "./choices.ts"
import { advance, type ChatInput, type ChatScene, type DrawChatOptions } from "./draw.ts"
import { replyHint } from "./footer.ts"
import { shown } from "./lineAnswers.ts"
import type { Panel } from "./panel.ts"
import { headRows, requestHead, requestRows } from "./requestRows.ts"
import { emptyChat } from "./state.ts"
import { allLines } from "./stdinLines.ts"
import { makeTalk } from "./talk.ts"
import { askingPerson } from "./terminal.ts"
import type { Way } from "./way.ts"

const askedLines = (panel: Panel, agent: string, columns: number): ReadonlyArray<string> => {
  if (panel._tag === "Message") return []
  if (panel._tag === "Reply") {
    const { problem, question, hint } = replyHint(panel)
    return [question, problem ?? hint]
  }
  const { request } = panel
  const { choices, note } = choicesOf(request, true, false)
  const keys = choices.map(({ key, does }) => `  ${key}  ${does}${key === "m" ? ": m and the message" : ""}`)
  return [
    ...headRows(requestHead(agent, request), columns - 1),
    ...requestRows(request, columns - 1),
    ...(note === undefined ? [] : [note]),
    "Answer with a letter and Enter:",
    ...keys
  ]
}

/** What a person sees of it: another question, or the same after an answer that was none. */
const stateOf = (panel: Panel | undefined): string => {
  if (panel === undefined) return ""
  return panel._tag === "Reply"
    ? JSON.stringify([panel.request.requestId, panel.at, panel.problem])
    : panel.request.requestId
}

/** After what has come: the scene, and all that there is to write. */
export const advanceLines = (
  before: ChatScene,
  inputs: ReadonlyArray<ChatInput>,
  scene: { readonly surface: Surface; readonly now: number }
) => {
  const { chat, transcript, text, wishes } = advance(before, inputs, { ...scene, rows: 0 })
  const { panel } = chat
  if (panel === undefined || stateOf(panel) === stateOf(before.chat.panel)) return { chat, transcript, text, wishes }
  const [next, asked] = paragraph(transcript, askedLines(panel, transcript.agent, scene.surface.columns))
  return { chat: shown(chat), transcript: next, text: text + asked, wishes }
}

const drawLines = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<ChatInput, never, R>,
  inputs: Stream.Stream<ChatInput>,
  { agent, perform }: DrawChatOptions
) {
  const terminal = yield* Terminal.Terminal
  const startedAt = yield* Clock.currentTimeMillis
  return Stream.mapAccumArrayEffect(
    Stream.merge(events, inputs, { haltStrategy: "left" }),
    (): ChatScene => ({ chat: emptyChat, transcript: begin(agent, startedAt) }),
    (before, arrived) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const columns = (yield* terminal.columns) || 80
        const { text, wishes, ...next } = advanceLines(before, arrived, { surface: { live: false, columns }, now })
        yield* Effect.forEach(wishes, perform, { discard: true })
        return [next, text === "" ? [] : [text]] as const
      })
  )
})

const tooLong = { _tag: "Said", said: { _tag: "Note", text: "that line was too long, and was not read" } } as const

/** At the end of them the person is gone. */
const typedLines = Stream.concat(
  allLines.pipe(
    Stream.map(({ text }): ChatInput => (text === undefined ? tooLong : { _tag: "Line", text })),
    Stream.catch(() => Stream.empty)
  ),
  Stream.make<[ChatInput]>({ _tag: "Gone" })
)

export const chatLineTerminal: Way = (context) => ({
  asking: askingPerson(context),
  opening: Console.log(`Starting ${context.agent}; a line is a prompt, /help tells more, Ctrl-D leaves.\n`),
  talk: (session) =>
    Effect.flatMap(Effect.context<Stdio.Stdio>(), (stdio) =>
      makeTalk({ session, context, typed: Stream.provideContext(typedLines, stdio), draw: drawLines })
    ),
  showFailure: (events) => show(events, { agent: context.agent, isStopping: context.isStopping, json: false }),
  end: Effect.succeed(true)
})
