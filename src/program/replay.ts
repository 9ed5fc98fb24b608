/** `reins replay`: a recorded wire transcript, decoded and shown like a live run. */
import { Effect, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { clis } from "../Agents.ts"
import { failedRun } from "../engine/failure.ts"
import { replay as replayTranscript } from "../Replay.ts"
import { cliIds } from "./chosenAgent.ts"
import { endWith } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { mostBytes, readFile, readStdin } from "./readInput.ts"
import { show } from "./show.ts"

const readTranscript = (file: string) =>
  file === "-" ? readStdin("FILE", mostBytes.transcript) : readFile("FILE", file, mostBytes.transcript)

export const replay = Command.make(
  "replay",
  {
    agent: Flag.Literals("agent", cliIds).pipe(
      Flag.withAlias("a"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("Whose lines they are, claude by default"),
      Flag.withDefault("claude")
    ),
    json: jsonFlag("Print one event a line as JSON, `done` last, and nothing else"),
    file: Argument.String("file").pipe(Argument.withDescription("The lines as the CLI printed them; - reads stdin"))
  },
  Effect.fnUntraced(function* ({ agent, json, file }) {
    const events = yield* readTranscript(file).pipe(
      Effect.map((text) => replayTranscript(clis[agent], text)),
      Effect.catchTag("InvalidParams", (reason) => Effect.succeed(failedRun(reason)))
    )
    yield* endWith(yield* show(Stream.fromIterable(events), { agent, json }))
  })
).pipe(
  Command.withShortDescription("Show a recorded transcript of a CLI"),
  Command.withDescription(
    "Decodes the lines that a CLI printed, as kept by --record, and shows them like a live run.\n" +
      "  Exit code: as of `reins run`, by how the recorded run came out."
  ),
  Command.withExamples([
    { command: 'reins run --record run.ndjson "say hi"', description: "Record a run" },
    { command: "reins replay run.ndjson", description: "Show it again" },
    { command: "reins replay --json - < run.ndjson", description: "Its events, from stdin" }
  ])
)
