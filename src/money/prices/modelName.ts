/** The name of a model, as a CLI reports it → the vendor whose prices may be used, and the vendor's name for it. Pure. */

export interface NamedModel {
  /** The vendor's id in the price table. */
  readonly vendor: string
  /** Lower case, without what says how the model is used. */
  readonly name: string
}

/** Whose models a CLI of one vendor runs. OpenCode and others write `vendor/model`. */
const vendors: Readonly<Record<string, string>> = { claude: "anthropic", codex: "openai", gemini: "google" }
const longest = 200

/** `models/gemini-…` of the API, and `…[1m]`, by which Claude Code names a longer context window of the same model. */
export const plainName = (model: string): string =>
  model
    .trim()
    .toLowerCase()
    .replace(/^models\//, "")
    .replace(/\[[^[\]]*\]$/, "")

const named = (cli: string, name: string): NamedModel | undefined => {
  if (name === "" || name.length > longest || !/^[\w.:@/+-]+$/.test(name)) return undefined
  const own = Object.hasOwn(vendors, cli) ? vendors[cli] : undefined
  if (own !== undefined) return { vendor: own, name }
  const [vendor, ...rest] = name.split("/")
  return vendor === undefined || vendor === "" || rest.length === 0 ? undefined : { vendor, name: rest.join("/") }
}

/** Returns none if the vendor is unknown: a name alone does not justify another vendor's price. */
export const reportedModel = (cli: string, model: string): ReadonlyArray<NamedModel> => {
  const found = named(cli, plainName(model))
  return found === undefined ? [] : [found]
}

/** A name that the user wrote may be any vendor's: that of the CLI first. */
export const chosenModel = (cli: string, model: string): ReadonlyArray<NamedModel> => {
  const name = plainName(model)
  const all = [cli, ...Object.keys(vendors).filter((other) => other !== cli)].map((each) => named(each, name))
  return [named("", name), ...all].filter((each) => each !== undefined)
}
