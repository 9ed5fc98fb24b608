/** Voice messages of a turn → texts. Each is kept beside its file, so that a restart repeats nothing. */
import { readFile, rename, writeFile } from "node:fs/promises"
import { Context, Effect, Layer } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { attempt } from "../gateway/copies.ts"
import { hasText } from "../intake/sift.ts"
import type { Transcriber } from "../intake/Transcriber.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { texts } from "../texts.ts"
import { Bridge } from "./account.ts"
import { TurnInterrupts } from "./runningTurns.ts"

interface Spoken {
  /** By file id. */
  readonly transcripts: ReadonlyMap<string, string>
  /** For the person: the beginning of each text, and a line for each message without one. */
  readonly lines: ReadonlyArray<string>
}

export class Voice extends Context.Service<
  Voice,
  {
    /** `paths`: downloaded files, by their ids. Ends early when the stop of the turn is requested. */
    readonly transcribe: (
      messages: ReadonlyArray<ChannelMessage>,
      paths: ReadonlyMap<string, string>
    ) => Effect.Effect<Spoken>
  }
>()("reins/bridge/Voice") {
  static readonly layer = Layer.effect(
    Voice,
    Effect.gen(function* () {
      const { transcribe } = yield* Bridge
      const { requested } = yield* TurnInterrupts
      return transcribe === undefined ? { transcribe: () => Effect.succeed(none) } : makeVoice(transcribe, requested)
    })
  )
}

const none: Spoken = { transcripts: new Map(), lines: [] }

const makeVoice = (transcribe: Transcriber, requested: TurnInterrupts["Service"]["requested"]): Voice["Service"] => {
  const textOf = Effect.fn(...untraced("Voice.textOf"))(function* (path: string) {
    const place = `${path}.transcript`
    const known = yield* attempt(() => readFile(place, "utf8"))
    if (known !== undefined) return known
    const text = yield* transcribe(path)
    yield* attempt(() => writeFile(`${place}.part`, text, { mode: 0o600 }).then(() => rename(`${place}.part`, place)))
    return text
  })

  const one = (fileId: string, path: string) =>
    textOf(path).pipe(
      Effect.map((text) => ({ fileId, text, line: texts.transcript(text) })),
      Effect.catch(({ problem }) => Effect.succeed({ fileId, text: undefined, line: texts.notTranscribed(problem) }))
    )

  return {
    transcribe: Effect.fn(...untraced("Voice.transcribe"))(function* (messages, paths) {
      const voices = messages.flatMap(({ attachments }) => attachments.filter(isVoice))
      const [first] = messages
      if (first === undefined || voices.length === 0) return none
      const spoken = Effect.forEach(voices, ({ fileId }) => {
        const path = paths.get(fileId)
        return path === undefined ? Effect.succeed([]) : Effect.map(one(fileId, path), (each) => [each])
      })
      const all = (yield* Effect.raceFirst(spoken, Effect.as(requested(first.conversation), []))).flat()
      return {
        transcripts: new Map(all.flatMap(({ fileId, text }) => (text === undefined ? [] : [[fileId, text] as const]))),
        lines: all.map(({ line }) => line)
      }
    })
  }
}

const isVoice = ({ kind }: ChannelMessage["attachments"][number]) => kind === "voice"

/** The texts of its voice messages are in its text, and it has no longer those files. */
export const withTranscripts = (message: ChannelMessage, transcripts: Spoken["transcripts"]): ChannelMessage => ({
  ...message,
  text: [message.text, ...message.attachments.flatMap(({ fileId }) => transcripts.get(fileId) ?? [])]
    .filter((text) => text !== "")
    .join("\n"),
  attachments: message.attachments.filter(({ fileId }) => !transcripts.has(fileId))
})

/** Only voice messages without a text are left. */
export const isUnheard = (messages: ReadonlyArray<ChannelMessage>): boolean =>
  messages.every(({ text, attachments }) => !hasText(text) && attachments.length > 0 && attachments.every(isVoice))
