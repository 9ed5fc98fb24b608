/** `reins serve`: agents for people, on a web page. The server is loaded only for this command. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { described, text } from "./conversationFlags.ts"
import { agentModuleFlag, configFlag, databaseFlag, switchFlag } from "./flags.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

export const serve = Command.make(
  "serve",
  {
    config: configFlag,
    agentModule: agentModuleFlag,
    web: Flag.String("web").pipe(
      Flag.withOptionalValue(""),
      described("Serve the web page, at this port (default: the first free one from 7346 to 7355)", "PORT"),
      Flag.optional
    ),
    host: text(
      "host",
      "ADDRESS",
      "Address at which the page listens (default: 127.0.0.1); others need web.allowRemote"
    ),
    status: switchFlag("status", "Show the host that runs, and end; exit code 1 when none runs"),
    home: text("home", "NAME", "Serve the conversations of this home, also for other machines (docs/cluster.md)"),
    database: databaseFlag,
    listen: text("listen", "HOST:PORT", "Where other machines reach this home; without TLS files 127.0.0.1 only"),
    advertise: text("advertise", "HOST:PORT", "Its address as others see it, where that is another one"),
    tlsCert: text("tls-cert", "FILE", "The certificate of this home, for other machines"),
    tlsKey: text("tls-key", "FILE", "Its key"),
    tlsCa: text("tls-ca", "FILE", "The authority of the cluster's certificates"),
    removeHome: text("remove-home", "NAME", "Give up a home that is gone for good, and end"),
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
      "  Bots of the configuration are served beside it: [telegram], [slack], [discord], [whatsapp]; and [webhooks.NAME],\n" +
      "  by which other programs begin turns.\n\n" +
      "  SIGTERM and Ctrl-C: nothing new is begun, and what is at work has 120 s; a second one ends at once. SIGHUP reads\n" +
      "  the configuration again. Exit code: 0 ended with nothing cut off, 1 failed, 2 bad usage."
  ),
  Command.withExamples([
    { command: "reins serve", description: "The page on the installed agents, in the current directory" },
    { command: "reins serve --web=8080", description: "At this port, or not at all" },
    { command: "reins serve --status", description: "What a running host does" }
  ])
)
