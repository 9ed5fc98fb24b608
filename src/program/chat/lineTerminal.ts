/**
 * `reins chat` at a terminal that cannot be drawn over (`TERM=dumb`): everything is written once, requests are written
 * whole and answered by a line.
 */
import { Clock, Console, Effect, type Stdio, Stream, Terminal } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { begin, paragraph } from "../blocks.ts"
import { show } from "../show.ts"
import type { Surface } from "../style.ts"
import { emptyChat } from "./chatState.ts"
import { choicesOf } from "./choices.ts"
import { advance, type ChatInput, type ChatScene } from "./draw.ts"
import type { DrawChatOptions } from "./drawChat.ts"
import { replyHint } from "./footer.ts"
import { withRequestShown } from "./lineAnswers.ts"
import { allLines } from "./lines.ts"
import type { Panel } from "./panel.ts"
import { makePersonDriver } from "./personDriver.ts"
import { headRows, requestHead, requestRows } from "./requestRows.ts"
import type { ChatMode } from "./runSession.ts"
import { askPerson } from "./terminal.ts"

const panelLines = (panel: Panel, agent: string, columns: number): ReadonlyArray<string> => {
  if (panel._tag === "Message") return []
  if (panel._tag === "Reply") {
    const { problem, question, hint } = replyHint(panel)
    return [question, problem ?? hint]
  }
  const { request } = panel
  const { choices, note } = choicesOf(request, true, false)
  const keys = choices.map(({ key, label }, index) => {
    const content = key === "m" ? `: ${index + 1} and the message` : ""
    return `  ${index + 1}  ${label}${content}`
  })
  return [
    ...headRows(requestHead(agent, request), columns - 1),
    ...requestRows(request, columns - 1),
    ...(note === undefined ? [] : [note]),
    "Answer with a number and Enter:",
    ...keys
  ]
}

/** Changes when the panel must be written again: for another question, and after an invalid answer. */
const panelKey = (panel: Panel | undefined): string => {
  if (panel === undefined) return ""
  return panel._tag === "Reply"
    ? JSON.stringify([panel.request.requestId, panel.at, panel.problem])
    : panel.request.requestId
}

export const advanceLines = (
  before: ChatScene,
  inputs: ReadonlyArray<ChatInput>,
  scene: { readonly surface: Surface; readonly now: number }
) => {
  const { chat, transcript, text, actions } = advance(before, inputs, { ...scene, rows: 0 })
  const { panel } = chat
  if (panel === undefined || panelKey(panel) === panelKey(before.chat.panel)) return { chat, transcript, text, actions }
  const [next, prompt] = paragraph(transcript, panelLines(panel, transcript.agent, scene.surface.columns))
  return { chat: withRequestShown(chat), transcript: next, text: text + prompt, actions }
}

const drawLines = Effect.fn(...untraced("LineTerminal.drawLines"))(function* <R>(
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
        const { text, actions, ...next } = advanceLines(before, arrived, { surface: { live: false, columns }, now })
        yield* Effect.forEach(actions, perform, { discard: true })
        return [next, text === "" ? [] : [text]] as const
      })
  )
})

const tooLong = { _tag: "Message", message: { _tag: "Note", text: "ignored: the line was too long" } } as const

const typedLines = Stream.concat(
  allLines.pipe(
    Stream.map(({ text }): ChatInput => (text === undefined ? tooLong : { _tag: "Line", text })),
    Stream.catch(() => Stream.empty)
  ),
  Stream.make<[ChatInput]>({ _tag: "Gone" })
)

export const chatLineTerminal: ChatMode = (context) => ({
  answering: askPerson(context),
  announce: Console.log(`Starting ${context.agent}; each line is a prompt, /help shows more, Ctrl-D leaves.\n`),
  makeDriver: (session) =>
    Effect.flatMap(Effect.context<Stdio.Stdio>(), (stdio) =>
      makePersonDriver({ session, context, typed: Stream.provideContext(typedLines, stdio), draw: drawLines })
    ),
  showFailure: (events) =>
    show(events, { agent: context.agent, isStopping: context.isStopping, form: "transcript", command: "chat" }),
  finish: Effect.succeed(true)
})
