/** The linter's rules are those of the list of rooms, and every folder of src has its place in it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { folders, root } from "./folders.ts"
import { linterRules } from "./linterRules.ts"

describe("the order of src", () => {
  it("is what the linter keeps (else: npm run house)", () => {
    assert.strictEqual(readFileSync(join(root, ".biome.rooms.json"), "utf8"), linterRules(folders()))
  })
  it("has a place for every folder", () => {
    assert.throws(() => linterRules([...folders(), "src/attic"]), /attic has no place/)
  })
})
