/** The child's environment: who wins, what is let in, what is taken out, and what is refused. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { runMarker } from "../../../src/contract/Plan.ts"
import { composeEnvironment, type EnvironmentParts, secretsOf } from "../../../src/system/process/HostEnvironment.ts"

const parts = (input: Partial<EnvironmentParts> = {}): EnvironmentParts => ({
  host: { PATH: "/bin", HOME: "/home/x" },
  cli: { sessionMarkers: ["INSIDE", "INSIDE_ID"], apiKeys: ["API_KEY", "AUTH_TOKEN"] },
  options: {},
  params: {},
  workingDirectory: "/workspace",
  runId: "run-1",
  ...input
})

const composed = (input: Partial<EnvironmentParts> = {}) => Result.getOrThrow(composeEnvironment(parts(input)))
const refused = (input: Partial<EnvironmentParts>) => Result.getOrThrow(Result.flip(composeEnvironment(parts(input))))

const own = { PWD: "/workspace", [runMarker]: "run-1" }

describe("precedence", () => {
  it("by default the host's variables, and the run's own", () => {
    assert.deepStrictEqual(composed(), { PATH: "/bin", HOME: "/home/x", ...own })
  })

  it("host < the agent's options < the run's params", () => {
    const layers: Partial<EnvironmentParts> = {
      host: { A: "host", B: "host", C: "host" },
      options: { env: { values: { B: "options", C: "options" } } },
      params: { C: "params" }
    }
    assert.deepStrictEqual(composed(layers), { A: "host", B: "options", C: "params", ...own })
  })

  it("undefined removes a variable, and a later layer can set it again", () => {
    const layers: Partial<EnvironmentParts> = {
      host: { A: "host", B: "host", C: "host", D: undefined },
      options: { env: { values: { B: undefined, C: undefined } } },
      params: { A: undefined, C: "params" }
    }
    assert.deepStrictEqual(composed(layers), { C: "params", ...own })
  })

  it("PWD and the run's marker cannot be overridden", () => {
    assert.deepStrictEqual(composed({ host: { PWD: "/x" }, params: { PWD: "/y", [runMarker]: "mine" } }), own)
  })

  it("a nested run carries both marks", () => {
    const env = composed({ host: { [runMarker]: "outer" } })
    assert.deepStrictEqual(env, { ...own, [runMarker]: `outer ${own[runMarker]}` })
  })

  it("an empty value is a value", () => {
    assert.deepStrictEqual(composed({ host: {}, params: { EMPTY: "" } }), { EMPTY: "", ...own })
  })

  it("secrets are revealed to the child only", () => {
    assert.strictEqual(composed({ params: { TOKEN: Redacted.make("sk-1") } })["TOKEN"], "sk-1")
  })
})

describe("the allow-list", () => {
  const host = {
    PATH: "/bin",
    HOME: "/h",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/c",
    https_proxy: "http://p",
    API_KEY: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    PATHOLOGY: "x",
    MY_ONE: "1",
    MY_TWO: "2"
  }

  it("lets in what programs need to run, and the CLI's keys", () => {
    const env = composed({ host, options: { env: { policy: "allow-list" } } })
    const { PATH, HOME, LC_ALL, XDG_CONFIG_HOME, https_proxy, API_KEY } = host
    assert.deepStrictEqual(env, { PATH, HOME, LC_ALL, XDG_CONFIG_HOME, https_proxy, API_KEY, ...own })
  })

  it("can be replaced by one's own, with prefixes", () => {
    const env = composed({ host, options: { env: { policy: "allow-list", allow: ["PATH", "MY_*"] } } })
    assert.deepStrictEqual(env, { PATH: "/bin", MY_ONE: "1", MY_TWO: "2", ...own })
  })

  it("does not filter variables of the options and params", () => {
    const options = { env: { policy: "allow-list", allow: [], values: { A: "1" } } } as const
    assert.deepStrictEqual(composed({ host, options, params: { B: "2" } }), { A: "1", B: "2", ...own })
  })

  it("changes nothing without the policy", () => {
    assert.deepStrictEqual(composed({ host, options: { env: { allow: ["PATH"] } } }), { ...host, ...own })
  })

  it("removes markers of an enclosing session, unless they are set explicitly", () => {
    const marked = { PATH: "/bin", INSIDE: "1", INSIDE_ID: "x", INSIDE_JOB: "stays" }
    assert.deepStrictEqual(composed({ host: marked }), { PATH: "/bin", INSIDE_JOB: "stays", ...own })
    const listed = { env: { policy: "allow-list", allow: ["INSIDE*"] } } as const
    assert.deepStrictEqual(composed({ host: marked, options: listed }), { INSIDE_JOB: "stays", ...own })
    assert.strictEqual(composed({ host: marked, params: { INSIDE: "2" } })["INSIDE"], "2")
  })
})

describe("billing", () => {
  const host = { PATH: "/bin", API_KEY: "k", AUTH_TOKEN: "t" }

  it("by default leaves the keys as they come", () => {
    assert.deepStrictEqual(composed({ host }), { ...host, ...own })
  })

  it("by subscription removes every key, whatever its source", () => {
    const everywhere: Partial<EnvironmentParts> = {
      host,
      options: { billing: "subscription", env: { values: { API_KEY: "o" } } },
      params: { AUTH_TOKEN: Redacted.make("p") }
    }
    assert.deepStrictEqual(composed(everywhere), { PATH: "/bin", ...own })
  })

  it("by API key requires one", () => {
    assert.strictEqual(composed({ host: { AUTH_TOKEN: "t" }, options: { billing: "api-key" } })["AUTH_TOKEN"], "t")
    for (const poor of [{}, { API_KEY: "" }]) {
      const problem = refused({ host: poor, options: { billing: "api-key" } })
      assert.deepInclude(problem, { _tag: "InvalidParams", option: "billing" })
      assert.include(problem.message, "API_KEY")
    }
    const problem = refused({ host, cli: { sessionMarkers: [], apiKeys: [] }, options: { billing: "api-key" } })
    assert.include(problem.message, "needs a variable, and none of this agent is known")
  })

  it("by API key accepts a key of the run", () => {
    const env = composed({ host: {}, options: { billing: "api-key" }, params: { API_KEY: Redacted.make("p") } })
    assert.strictEqual(env["API_KEY"], "p")
  })
})

describe("refused", () => {
  it.each(["", "A=B", "A\0B", "=A"])("the name %j", (name) => {
    for (const input of [{ params: { [name]: "x" } }, { options: { env: { values: { [name]: "x" } } } }]) {
      assert.deepInclude(refused(input), { _tag: "InvalidParams", option: `env ${JSON.stringify(name)}` })
    }
  })

  it("a bad name, even to remove it", () => {
    assert.strictEqual(refused({ params: { "A=B": undefined } }).option, 'env "A=B"')
  })

  it("a value with NUL, by its name and without the value", () => {
    for (const value of ["a\0secret", Redacted.make("a\0secret")]) {
      const problem = refused({ params: { TOKEN: value } })
      assert.strictEqual(problem.option, 'env "TOKEN"')
      assert.notInclude(problem.message, "secret")
    }
  })

  it("not for a bad name in the host's environment", () => {
    assert.strictEqual(composed({ host: { "ProgramFiles(x86)": "C:\\x", "": "y" } })["ProgramFiles(x86)"], "C:\\x")
  })
})

it("secrets are all Redacted values and the CLI's keys", () => {
  const input = parts({
    host: { API_KEY: "host-key", PLAIN: "visible" },
    options: { env: { values: { A: Redacted.make("option-secret") } } },
    params: { B: Redacted.make("param-secret"), C: "visible" }
  })
  const secrets = secretsOf(input, Result.getOrThrow(composeEnvironment(input))).filter((secret) => secret !== "")
  assert.sameMembers([...secrets], ["option-secret", "param-secret", "host-key"])
})

describe("telemetry of the host", () => {
  const host = { PATH: "/bin", OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_EXPORTER_OTLP_HEADERS: "authorization=x" }

  it("is nothing that a CLI gets, unless the policy names it", () => {
    const of = (env: NonNullable<EnvironmentParts["options"]["env"]>) => composed({ host, options: { env } })
    assert.deepStrictEqual(composed({ host }), { PATH: "/bin", ...own })
    assert.deepStrictEqual(of({ allow: ["*"] }), { PATH: "/bin", ...own })
    assert.deepStrictEqual(of({ policy: "allow-list", allow: ["*"] }), { PATH: "/bin", ...own })
    assert.deepStrictEqual(of({ allow: ["OTEL_*"] }), { ...host, ...own })
    assert.deepStrictEqual(of({ policy: "allow-list", allow: ["OTEL_EXPORTER_OTLP_ENDPOINT"] }), {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://a",
      ...own
    })
    assert.strictEqual(
      of({ values: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://b" } })["OTEL_EXPORTER_OTLP_ENDPOINT"],
      "http://b"
    )
  })

  it("has headers that no recording shows", () => {
    const options = { env: { allow: ["OTEL_*"] } }
    const input = { host: { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer 1" }, options }
    assert.include(secretsOf({ options, params: {} }, composed(input)), "authorization=Bearer 1")
  })

  it("is its trace, in place of the host's, unless the caller has one", () => {
    const trace = { TRACEPARENT: "ours", TRACESTATE: undefined }
    const traced = { host: { TRACEPARENT: "host", TRACESTATE: "host" }, trace, added: { A: "ours", B: "ours" } }
    assert.deepStrictEqual(composed({ ...traced, params: { B: "params" } }), {
      TRACEPARENT: "ours",
      A: "ours",
      B: "params",
      ...own
    })
    const callers = composed({ ...traced, options: { env: { values: { TRACEPARENT: "caller" } } } })
    assert.strictEqual(callers["TRACEPARENT"], "caller")
    assert.notProperty(composed({ ...traced, params: { TRACEPARENT: undefined } }), "TRACEPARENT")
  })
})
