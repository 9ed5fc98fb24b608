/** `reins replay`: decodes a recorded transcript of a CLI and shows it like a live run. */
import { Effect, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { clis } from "../agents/Agents.ts"
import { failedRun } from "../agents/engine/result.ts"
import { replay as replayTranscript } from "../agents/Replay.ts"
import { cliIds } from "./chosenAgent.ts"
import { described } from "./conversationFlags.ts"
import { endWith } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { maxBytes, readFile, readStdin } from "./readInput.ts"
import { show } from "./show.ts"

const readTranscript = (file: string) =>
  file === "-" ? readStdin("FILE", maxBytes.transcript) : readFile("FILE", file, maxBytes.transcript)

export const replay = Command.make(
  "replay",
  {
    agent: Flag.Literals("agent", cliIds).pipe(
      Flag.withAlias("a"),
      described("The CLI that printed the lines (default: claude)", "NAME"),
      Flag.withDefault("claude")
    ),
    json: jsonFlag("Print only events, as JSON lines, `done` last"),
    file: Argument.String("file").pipe(
      Argument.withDescription("File with the lines that the CLI printed; - reads stdin")
    )
  },
  Effect.fnUntraced(function* ({ agent, json, file }) {
    const events = yield* readTranscript(file).pipe(
      Effect.map((text) => replayTranscript(clis[agent], text)),
      Effect.catchTag("InvalidParams", (reason) => Effect.succeed(failedRun(reason)))
    )
    yield* endWith(
      yield* show(Stream.fromIterable(events), { agent, form: json ? "events" : "transcript", command: "replay" })
    )
  })
).pipe(
  Command.withShortDescription("Show a recorded transcript of a CLI"),
  Command.withDescription(
    "Decodes the lines that a CLI printed, as recorded by --record, and shows them like a live run.\n" +
      "  Exit code: as for `reins run`, by how the recorded run ended."
  ),
  Command.withExamples([
    { command: 'reins run --record run.ndjson "say hi"', description: "Record a run" },
    { command: "reins replay run.ndjson", description: "Show the recorded run" },
    { command: "reins replay --json - < run.ndjson", description: "Print its events, from stdin" }
  ])
)
