/** The models that an agent's CLI offers, as the CLI itself lists them. Types alone. */

/** One model, in the words of its CLI. */
export interface AgentModel {
  /** Value for the option `model`. */
  readonly id: string
  /** For people. */
  readonly name?: string
  /** For people; may have a price. */
  readonly description?: string
  /** Values of the option `effort` for this model. Absent where the CLI does not list them. */
  readonly efforts?: ReadonlyArray<string>
  /** The CLI uses it without the option `model`. */
  readonly isDefault?: boolean
}

/** `listed`: by the CLI, which may also take models that are not in the list. `unlisted`: the CLI has no list. */
export type AgentModels =
  | { readonly type: "listed"; readonly models: ReadonlyArray<AgentModel> }
  | { readonly type: "unlisted" }

/** How the CLI is asked for its models. */
export interface ModelsParams {
  /** Working directory, whose settings may add models. Default: that of the agent's `defaults`, else of the host. */
  readonly workingDirectory?: string | undefined
  /** Aborts the question. */
  readonly abortSignal?: AbortSignal | undefined
}
