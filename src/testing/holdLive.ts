/**
 * A live session of a fake CLI, held by the program that speaks its protocol from the agent's side; never returns. Used
 * by the player: loads nothing of the library.
 */
import { pathToFileURL } from "node:url"
import { packageFile } from "../system/process/packageFile.ts"
import type { Performance } from "./instructions.ts"

const programs = pathToFileURL(packageFile("fixtures/programs/live/"))

export const holdLive = async ({ peer, scripts }: NonNullable<Performance["live"]>): Promise<never> => {
  const { giveScripts } = await import(new URL("steps.mjs", programs).href)
  giveScripts(scripts)
  await import(new URL(`${peer}.mjs`, programs).href)
  return new Promise<never>(() => {})
}
