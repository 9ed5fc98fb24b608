/** What stands in src. */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"

export const root = join(import.meta.dirname, "../..")

/** From the root of the project, such as `src/cli/Cli.ts`. */
export const sources = (): ReadonlyArray<string> =>
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("src", file))
    .sort()

export const folders = (): ReadonlyArray<string> => [...new Set(sources().map((file) => dirname(file)))].sort()
