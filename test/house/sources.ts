/** The files of src, and what they import. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

export const root = join(import.meta.dirname, "../..")

/** In the order of dependency: a wing imports only wings before it. The linter has the same order (`.biome.json`). */
export const wings = [
  "contract",
  "system",
  "cli",
  "agents",
  "conversations",
  "money",
  "api",
  "bridge",
  "channels",
  "cluster",
  "program",
  "testing"
] as const

/** The files that a user may import. */
export const doors = ["index", "promise", "aiSdk", "bridge", "cluster", "testing", "testingEffect"].map(
  (name) => `src/${name}.ts`
)

/** Paths from the root of the project, such as `src/cli/Cli.ts`. */
export const sources = (): ReadonlyArray<string> =>
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("src", file))
    .sort()

const imported = /\b(?:from|import)\s*\(?"(\.[^"]+)"/g

/** The files of src that a file names in its imports and exports. */
export const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(imported)].map(([, path = ""]) => join(dirname(file), path))
