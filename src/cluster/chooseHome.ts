/** Chooses the home of a new conversation: the least busy one that has the CLI and the directory; pure. */
import { resolve } from "node:path"
import { Result } from "effect"
import { harmless } from "../contract/text/harmless.ts"
import { type Home, protocol } from "./homes.ts"

interface Criteria {
  readonly cli: string
  /** An absolute path; undefined for the default of the home. */
  readonly directory: string | undefined
  readonly version: string
}

/** Compares absolute paths, also with `..` in them. */
export const isBelow = (directory: string, above: string) => {
  const [inner, outer] = [resolve(directory), resolve(above)]
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`)
}

const has = ({ directories }: Home, directory: string | undefined) =>
  directory === undefined || directories.some((above) => isBelow(directory, above))

const names = (homes: ReadonlyArray<Home>) => homes.map(({ name }) => name).join(", ")

/** The reason why a home cannot take turns; undefined if it can. */
export const homeProblem = (
  { name, version, protocol: spoken, state }: Home,
  ownVersion: string
): string | undefined => {
  if (state === "removed")
    return `its home ${name} was removed from the cluster: begin anew with fresh (--fresh), or serve that home again where its files are`
  if (spoken !== protocol)
    return `the home ${name} runs version ${harmless(version)}, which speaks protocol ${spoken} of the cluster, and this is version ${ownVersion}, which speaks ${protocol}: run the same version on both`
  return undefined
}

/** Fails with the reason, as the end of a sentence. */
export const chooseHome = (
  homes: ReadonlyArray<Home>,
  { cli, directory, version }: Criteria
): Result.Result<Home, string> => {
  const here = homes.filter(({ state }) => state === "serving")
  const up = here.filter(({ isUp }) => isUp)
  if (here.length === 0) return Result.fail("the cluster has no home: start reins serve --home NAME on a machine")
  const spoken = up.filter((home) => homeProblem(home, version) === undefined)
  const [other] = up
  if (spoken.length === 0)
    return Result.fail(
      other === undefined
        ? `no home runs now (${names(here)}): start reins serve on one of them`
        : (homeProblem(other, version) ?? "")
    )
  const installed = spoken.filter(({ clis }) => clis.includes(cli))
  if (installed.length === 0)
    return Result.fail(`no home that runs has ${cli} (${names(spoken)}): install it on one of them`)
  const fitting = installed.filter((home) => has(home, directory))
  if (fitting.length === 0)
    return Result.fail(
      `no home that has ${cli} works in ${JSON.stringify(directory)} (${names(installed)}): add it to [directories] of its configuration`
    )
  const load = ({ waiting, running }: Home) => waiting + running
  const [first, ...others] = fitting
  if (first === undefined) return Result.fail("no home fits")
  return Result.succeed(others.reduce((least, home) => (load(home) < load(least) ? home : least), first))
}
