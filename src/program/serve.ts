/** `reins serve`: agents for people, on a web page. What serves is loaded for this command alone. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, switchFlag } from "./flags.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

const webFlag = Flag.String("web").pipe(
  Flag.withOptionalValue(""),
  Flag.withMetavar("PORT"),
  Flag.withDescription("Serve the web page, at this port (default: the first free one from 7346 to 7355)"),
  Flag.optional
)

const hostFlag = Flag.String("host").pipe(
  Flag.withMetavar("ADDRESS"),
  Flag.withDescription("Address at which the page listens (default: 127.0.0.1); others need web.allowRemote"),
  Flag.optional
)

const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const serve = Command.make(
  "serve",
  {
    config: configFlag,
    web: webFlag,
    host: hostFlag,
    status: switchFlag("status", "Show the host that runs, and end; exit code 1 when none runs"),
    home: textFlag("home", "NAME", "Serve the conversations of this home, also for other machines (docs/cluster.md)"),
    database: textFlag(
      "database",
      "env:NAME",
      "The store is on the PostgreSQL server whose URL this variable has; or file:PATH"
    ),
    listen: textFlag("listen", "HOST:PORT", "Where other machines reach this home; without TLS files 127.0.0.1 only"),
    advertise: textFlag("advertise", "HOST:PORT", "Its address as others see it, where that is another one"),
    tlsCert: textFlag("tls-cert", "FILE", "The certificate of this home, for other machines"),
    tlsKey: textFlag("tls-key", "FILE", "Its key"),
    tlsCa: textFlag("tls-ca", "FILE", "The authority of the cluster's certificates"),
    removeHome: textFlag("remove-home", "NAME", "Give up a home that is gone for good, and end"),
    pair: switchFlag("pair", "Print a code: its first sender becomes the owner, on channels that need it")
  },
  Effect.fnUntraced(function* (input) {
    if (Option.isSome(input.removeHome)) {
      const { giveUpHome } = yield* Effect.promise(() => import("./serve/removing.ts"))
      return yield* giveUpHome(input.removeHome.value, input)
    }
    if (input.status) {
      const { showStatus } = yield* Effect.promise(() => import("./serve/status.ts"))
      return yield* showStatus(input)
    }
    const { performServe } = yield* Effect.promise(() => import("./serve/perform.ts"))
    yield* withTelemetry(performServe(input))
  })
).pipe(
  Command.withShortDescription("Serve agents on a web page that only you can open"),
  Command.withDescription(
    "Prints the address of a page on this machine: write to the installed agents, watch them, approve what they do, in\n" +
      "  the current directory or those of the configuration. Without an installed CLI the demo agent answers.\n" +
      "  A bot of [telegram] in the configuration is served beside it.\n\n" +
      "  SIGTERM and Ctrl-C: nothing new is begun, and what is at work has 120 s; a second one ends at once. SIGHUP reads\n" +
      "  the configuration again. Exit code: 0 ended with nothing cut off, 1 failed, 2 bad usage."
  ),
  Command.withExamples([
    { command: "reins serve", description: "The page on the installed agents, in the current directory" },
    { command: "reins serve --web=8080", description: "At this port, or not at all" },
    { command: "reins serve --status", description: "What a running host does" }
  ])
)
