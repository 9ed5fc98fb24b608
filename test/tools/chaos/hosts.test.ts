/** Stderr of a host is a finding, but for CLIs that lingered, and for what a campaign allows. */
import { assert, it } from "vitest"
import { judge } from "../../../tools/chaos/hosts.ts"

const line = (message: string) => `timestamp=2026-11-23T12:00:00.000Z level=WARN fiber=#7 message="${message}"\n`
const lingering = line('the process lingered after its result and is ended" message="{\\"lingerMs\\":10000}')

it("counts CLIs that lingered after their result, apart from what is unusual", () => {
  assert.deepStrictEqual(judge(""), { lingered: 0, unusual: [] })
  assert.deepStrictEqual(judge(`${lingering}${lingering}`), { lingered: 2, unusual: [] })
  const [other, allowed] = [line("a defect"), line("the ledger waits")]
  const judged = judge(`${other}${lingering}${allowed}`, /level=WARN .*ledger/)
  assert.deepStrictEqual(judged, { lingered: 1, unusual: [other.trim()] })
})
