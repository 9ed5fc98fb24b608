/** Opens the page at the first free port of the plan. */
import { Clock, Effect, Exit, Scope } from "effect"
import { explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ServePlan } from "./plan.ts"
import { Problem, problemOf } from "./problems.ts"
import { certificateProblems, readTls } from "./tls.ts"
import { openWeb, type PortTaken, type ServedWeb, type WebOptions } from "./webChannel.ts"

interface OpenPage extends ServedWeb {
  /** Without the key, for logs. */
  readonly address: string
  readonly notes: ReadonlyArray<string>
}

type PageOptions = Pick<WebOptions, "key" | "directories" | "agents" | "budget">

const inUse = ({ host, ports: [port, ...others] }: ServePlan) =>
  others.length === 0
    ? `Port ${port} of ${host} is in use: end what uses it, or name another one, as in --web=${port === 65_535 ? port - 1 : port + 1}.`
    : `The ports ${port} to ${others.at(-1)} of ${host} are all in use: name another one, as in --web=8080.`

export const openPage = Effect.fn(...untraced("Program.openPage"))(function* (plan: ServePlan, options: PageOptions) {
  const { host, hosts, allowRemote, title, ports, cluster } = plan
  // Each home of a cluster has a page, which shows the conversations of all homes.
  const account = cluster === undefined ? {} : { accountId: `web.${cluster.home}`, group: "web" }
  const tls =
    plan.tls === undefined
      ? undefined
      : yield* Effect.mapError(readTls(plan.tls), (message) => new Problem({ message }))
  const now = yield* Clock.currentTimeMillis
  const ofTls =
    tls === undefined ? [] : certificateProblems(tls.cert, hosts ?? [], now).map((text) => `web.tls: ${text}`)
  const outer = yield* Effect.scope
  for (const port of ports) {
    // Closes the scope of an attempt on a port that is taken.
    const scope = yield* Scope.fork(outer)
    const opening = Scope.provide(
      openWeb({ ...options, host, hosts, allowRemote, title, tls, port, ...account }),
      scope
    )
    const page = yield* opening.pipe(
      Effect.catchTag("PortTaken", (taken: PortTaken) => Effect.as(Scope.close(scope, Exit.void), taken)),
      Effect.catchTag("ListenRefused", ({ code }) =>
        Effect.fail(new Problem({ message: `The page cannot listen at ${host}, port ${port}: ${explain(code)}.` }))
      ),
      Effect.mapError(problemOf)
    )
    if ("_tag" in page) continue
    const moved = port === ports[0] ? [] : [`Port ${ports[0]} is in use: the page is at port ${page.port} instead`]
    return { ...page, notes: [...ofTls, ...moved], address: page.url.replace(/#.*$/s, "") } satisfies OpenPage
  }
  return yield* new Problem({ message: inUse(plan) })
})
