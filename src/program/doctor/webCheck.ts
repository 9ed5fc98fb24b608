/** The web page as a channel that is asked before anything serves: whether it could listen where it is to. Changes nothing. */
import { createServer } from "node:net"
import { Clock, Effect } from "effect"
import { channelId } from "../../channels/web/ids.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { certificateProblems, readTls } from "../serve/tls.ts"
import type { CheckedChannel } from "./channels.ts"
import { bad, fine } from "./findings.ts"

const listens = (port: number, host: string) =>
  Effect.callback<string | undefined>((resume) => {
    const server = createServer()
    server.once("error", (problem) => resume(Effect.succeed(explain(codeOf(problem) ?? "UNKNOWN"))))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed(undefined))))
  })

/** One that nobody has named is none to fail by: others are tried. */
const portFinding = Effect.fnUntraced(function* ({ web = {} }: Pick<Configuration, "web">, isServed: boolean) {
  const { port, host = "127.0.0.1" } = web
  if (isServed) return fine("reins serve runs, with its port")
  if (port === undefined) return fine("the first free port from 7346 to 7355 is used")
  const problem = yield* listens(port, host)
  return problem === undefined
    ? fine(`port ${port} of ${host} is free`)
    : bad(`port ${port} of ${host} cannot be used: ${problem}`, "End what uses it, or set web.port to another one")
})

const tlsFindings = Effect.fnUntraced(function* ({ web }: Pick<Configuration, "web">) {
  if (web?.tls === undefined) return []
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.match(readTls(web.tls), {
    onSuccess: ({ cert }) => {
      const problems = certificateProblems(cert, web.hosts ?? [], now)
      const help = "Browsers will warn of the page: get another certificate"
      return problems.length === 0
        ? [fine("the certificate of the page can be used")]
        : problems.map((problem) => bad(problem, help))
    },
    onFailure: (problem) => [bad(problem, "Correct web.tls of reins.toml, or the files")]
  })
})

/** @param isServed A host of this store has the port. */
export const webChannel = (configuration: Pick<Configuration, "web">, isServed: boolean): CheckedChannel => ({
  id: channelId,
  check: Effect.map(Effect.all([tlsFindings(configuration), portFinding(configuration, isServed)]), ([tls, port]) => [
    ...tls,
    port
  ])
})
