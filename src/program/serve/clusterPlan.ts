/** The flags of a cluster → the served home and its addresses; pure. */
import { Option, Result } from "effect"

export interface ClusterFlags {
  readonly home: Option.Option<string>
  readonly database: Option.Option<string>
  readonly listen: Option.Option<string>
  readonly advertise: Option.Option<string>
  readonly tlsCert: Option.Option<string>
  readonly tlsKey: Option.Option<string>
  readonly tlsCa: Option.Option<string>
}

interface Address {
  readonly host: string
  readonly port: number
}

export interface ClusterPlan {
  readonly home: string
  readonly listen: Address | undefined
  readonly advertise: Address | undefined
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string } | undefined
}

type Parsed<A> = Result.Result<A, string>

const addressOf = (flag: string, values: Option.Option<string>, fromPort: number): Parsed<Address | undefined> => {
  if (Option.isNone(values)) return Result.succeed(undefined)
  const [, bracketed, plain, digits = ""] = /^(?:\[([0-9A-Fa-f:]+)\]|([^:\s]+)):(\d{1,5})$/.exec(values.value) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || port < fromPort || port > 65_535
    ? Result.fail(`${flag} ${JSON.stringify(values.value.slice(0, 200))}: is HOST:PORT, such as 10.0.0.4:7350`)
    : Result.succeed({ host, port })
}

const tlsOf = ({ tlsCert, tlsKey, tlsCa }: ClusterFlags): Parsed<ClusterPlan["tls"]> => {
  const values = [tlsCert, tlsKey, tlsCa]
  if (values.every(Option.isNone)) return Result.succeed(undefined)
  if (Option.isNone(tlsCert) || Option.isNone(tlsKey) || Option.isNone(tlsCa))
    return Result.fail("--tls-cert, --tls-key and --tls-ca go together: name all three")
  return Result.succeed({ cert: tlsCert.value, key: tlsKey.value, ca: tlsCa.value })
}

/** Returns undefined without a home of a cluster. */
export const clusterPlan = (flags: ClusterFlags): Parsed<ClusterPlan | undefined> =>
  Result.gen(function* () {
    const listen = yield* addressOf("--listen", flags.listen, 0)
    const advertise = yield* addressOf("--advertise", flags.advertise, 1)
    const tls = yield* tlsOf(flags)
    if (Option.isSome(flags.home)) return { home: flags.home.value, listen, advertise, tls }
    const [alone] = [
      ...(listen === undefined ? [] : ["--listen"]),
      ...(advertise === undefined ? [] : ["--advertise"]),
      ...(tls === undefined ? [] : ["--tls-cert"])
    ]
    return alone === undefined
      ? undefined
      : yield* Result.fail(`${alone} is for a home of a cluster: name it with --home`)
  })
