// Versions of a CLI in the package registry, by npm as the user has set it up.
import { spawnSync } from "node:child_process"

/** When each version was published, as `npm view PACKAGE time` tells it. */
export const publishedOf = (name: string): Readonly<Record<string, string>> => {
  const npm = spawnSync("npm", ["view", name, "time", "--json"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
  if (npm.status !== 0) throw new Error(`npm does not tell the versions of ${name}: ${npm.stderr.trim()}`)
  return JSON.parse(npm.stdout)
}
