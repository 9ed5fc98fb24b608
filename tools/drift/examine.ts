// Examines one CLI in one version: its real tests, and its vocabulary against the one on record. Where that differs, the
// scenarios are played twice more, and only what is so each time counts.
import type { CliId } from "../../src/cli/clis.ts"
import { cliIn, install } from "../../test/real/rig/install.ts"
import { compare } from "./compare.ts"
import { ourUseOf } from "./ourUse.ts"
import { type Place, runRealTests } from "./realTests.ts"
import { recordOnce } from "./recordings.ts"
import type { Outcome } from "./report.ts"
import { reduce, type Vocabulary } from "./vocabulary.ts"

/** How often, where it matters what differs by chance; a new vocabulary has to know all of that. */
const times = 3
const timesToLearn = 5

export const examineVocabulary = async (id: CliId, version: string, before: Vocabulary | undefined, place: Place) => {
  const cli = cliIn(id, version)
  await install(cli)
  const recordings = [await recordOnce(cli, place)]
  const compared = () => {
    const received = recordings.map(({ scenarios }) => scenarios)
    const now = reduce(version, received, recordings[0]?.commands ?? {})
    const differences = before === undefined ? [] : compare(before, now, ourUseOf(id, place.root, received))
    return { now, differences, problems: recordings.at(-1)?.problems ?? [] }
  }
  const isSame = ({ differences, problems }: ReturnType<typeof compared>) =>
    before !== undefined && differences.length + problems.length === 0
  const most = before === undefined ? timesToLearn : times
  while (!isSame(compared()) && recordings.length < most) recordings.push(await recordOnce(cli, place))
  return compared()
}

export const examineTests = async (id: CliId, version: string, place: Place) => {
  const cli = cliIn(id, version)
  await install(cli)
  return runRealTests(cli, place)
}

export const examine = async (
  id: CliId,
  version: string,
  before: Vocabulary | undefined,
  options: { readonly vocabularyOnly: boolean },
  place: Place
): Promise<{ readonly outcome: Outcome; readonly now: Vocabulary }> => {
  const tests = options.vocabularyOnly ? undefined : await examineTests(id, version, place)
  const { now, differences, problems } = await examineVocabulary(id, version, before, place)
  const outcome: Outcome = {
    cli: id,
    version,
    ...(before && { recorded: before.version }),
    differences,
    problems,
    ...(tests && { tests })
  }
  return { outcome, now }
}
