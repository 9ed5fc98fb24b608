/** `[webhooks.NAME]` and `[webhookServer]`: the configuration, or each problem with its line and its cure; their secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { checkText, parseKey } from "../../../src/api/config/check.ts"
import { readValue } from "../../../src/api/config/forms.ts"
import { keyAt } from "../../../src/api/config/keys.ts"
import { ownVariables, readWebhookSecrets } from "../../../src/api/config/secrets.ts"
import { tellTargetOf } from "../../../src/api/config/webhooks.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"

const check = (text: string, isPrivate = true) =>
  checkText({ file: "/c/reins.toml", text, home: "/home/me", isPrivate })
const first = (text: string) =>
  Result.match(check(text), {
    onSuccess: () => "nothing",
    onFailure: (found) => found.map(({ line, problem }) => `${line}: ${problem}`)[0]
  })

const whole = 'secret = { env = "HOOK" }\nsignature = "github"\nprompt = "Look"'
const hook = (more = "", name = "pulls") => `[webhooks.${name}]\n${whole}\n${more}\n`
const telegram = '[telegram]\ntoken = { env = "BOT" }\n'
const cut = (key: string) =>
  whole
    .split("\n")
    .filter((line) => !line.startsWith(key))
    .join("\n")

describe("webhooks of a file", () => {
  it("that are valid", () => {
    const text = `${telegram}
[webhooks.pulls]
secret = { file = "~/hook" }
signature = "github"
prompt = """
Review {{pull_request.title}}:
{{pull_request.diff_url}}
"""
conversation = "reviews"
agent = "codex"
directory = "shop"
permissionMode = "accept-edits"
maxBytes = 25000000
rate = 1000
rateStatus = 503
pausedStatus = 202
idHeader = "X-Request-Id"
tell = "telegram:-1001234"
answer = "http"
deadline = "30 seconds"
[webhooks."ci.main_2-x"]
secret = "0123456789abcdef"
signature = "hmac"
once = "body"
prompt = "Look"
[webhookServer]
port = 8080
host = "0.0.0.0"
allowRemote = true
tls = { cert = "~/c.pem", key = "/k.pem" }
[directories.shop]
path = "/shop"
`
    const checked = Result.getOrThrow(check(text))
    assert.deepStrictEqual(checked.webhooks, {
      pulls: {
        secret: { file: "/home/me/hook" },
        signature: "github",
        prompt: "Review {{pull_request.title}}:\n{{pull_request.diff_url}}\n",
        conversation: "reviews",
        agent: "codex",
        directory: "shop",
        permissionMode: "accept-edits",
        maxBytes: 25_000_000,
        rate: 1_000,
        rateStatus: 503,
        pausedStatus: 202,
        idHeader: "X-Request-Id",
        tell: "telegram:-1001234",
        answer: "http",
        deadline: "30 seconds"
      },
      "ci.main_2-x": { secret: "0123456789abcdef", signature: "hmac", once: "body", prompt: "Look" }
    })
    assert.deepStrictEqual(checked.webhookServer, {
      port: 8080,
      host: "0.0.0.0",
      allowRemote: true,
      tls: { cert: "/home/me/c.pem", key: "/k.pem" }
    })
  })

  it("may share a conversation with the same settings", () => {
    const more = 'conversation = "ci"\nagent = "codex"'
    assert.strictEqual(first(hook(more, "a") + hook(more, "b") + hook("", "c")), "nothing")
    assert.strictEqual(first(hook("", "ci") + hook('conversation = "ci"', "b")), "nothing")
  })

  it.each([
    [
      `[webhooks.pulls]\n${cut("secret")}`,
      '1: webhooks.pulls has no secret: write secret = { env = "WEBHOOK_SECRET" }'
    ],
    [
      `[webhooks.pulls]\n${cut("signature")}`,
      '1: webhooks.pulls has no signature: write signature = "github", or "gitlab", or "hmac", or "bearer"'
    ],
    [
      `[webhooks.pulls]\n${cut("prompt")}`,
      '1: webhooks.pulls has no prompt: write prompt = "Summarize {{pull_request.title}}"'
    ],
    [
      `[webhooks.pulls]\nsecret = "too short"\n${cut("secret")}`,
      "2: webhooks.pulls.secret is not a secret of 16 letters, digits and marks or more, without spaces: `openssl rand -hex 32` makes one"
    ],
    [
      `[webhooks.pulls]\nsecret = 1234567890123456\n${cut("secret")}`,
      '2: webhooks.pulls.secret is not a text: write { env = "WEBHOOK_SECRET" }, or { file = "…" }'
    ],
    [
      `[webhooks.pulls]\nsecret = { env = "A", file = "/b" }\n${cut("secret")}`,
      "2: webhooks.pulls.secret has both env and file, or none of them; keep one"
    ],
    [
      `[webhooks.pulls]\nsecret = { env = "A B" }\n${cut("secret")}`,
      "2: webhooks.pulls.secret.env is not the name of an environment variable; the value itself does not belong here, where other programs read it"
    ],
    [
      `[webhooks.pulls]\nsignature = "gihub"\n${cut("signature")}`,
      '2: webhooks.pulls.signature "gihub" is not one of github, gitlab, hmac, bearer; did you mean "github"?'
    ],
    [
      `[webhooks.pulls]\nprompt = "Look at {{a.b"\n${cut("prompt")}`,
      "2: webhooks.pulls.prompt has {{ without }} behind it, in its line 1: close it, as in {{pull_request.title}}"
    ],
    [
      `[webhooks.pulls]\nprompt = "{{a b}}"\n${cut("prompt")}`,
      '2: webhooks.pulls.prompt has "{{a b}}", which is not a path: names with dots between them, as in {{pull_request.title}} or {{commits.0.id}}'
    ],
    [
      `[webhooks.pulls]\nprompt = " "\n${cut("prompt")}`,
      "2: webhooks.pulls.prompt is empty: write what the agent is to do"
    ],
    [
      `[webhooks.pulls]\nprompt = 5\n${cut("prompt")}`,
      '2: webhooks.pulls.prompt is not a text; put it in quotes, three of them for several lines: """'
    ],
    [
      `[webhooks.pulls]\nprompt = "a\\u202eb"\n${cut("prompt")}`,
      "2: webhooks.pulls.prompt has control or invisible characters; type the value again"
    ],
    [
      `[webhooks.pulls]\nprompt = "${"x".repeat(8_001)}"\n${cut("prompt")}`,
      "2: webhooks.pulls.prompt is longer than 8000 characters"
    ],
    [
      hook("conversation = 'a b'"),
      "5: webhooks.pulls.conversation is not a name of letters, digits, . _ and -, of 60 characters at most"
    ],
    [
      hook("agent = 'gpt'"),
      '5: webhooks.pulls.agent "gpt" is not one of claude, gemini, codex, opencode, pi; `reins agents` lists the others'
    ],
    [
      hook("directory = 'shp'\n[directories.shop]\npath = '/x'"),
      '5: webhooks.pulls.directory "shp" has no table [directories.NAME]; did you mean "shop"?'
    ],
    [
      hook("permissionMode = 'auto'"),
      '5: webhooks.pulls.permissionMode "auto" is not one of default, plan, accept-edits, bypass; planning first is set for a chat: planMode = "auto"'
    ],
    ...[999, 25_000_001, '"1 MB"'].map((bytes) => [
      hook(`maxBytes = ${bytes}`),
      "5: webhooks.pulls.maxBytes is not a number of bytes from 1000 to 25000000, without quotes"
    ]),
    ...[0, 1_001, '"many"'].map((rate) => [
      hook(`rate = ${rate}`),
      "5: webhooks.pulls.rate is not a whole number from 1 to 1000, without quotes"
    ]),
    ...[200, 202, 302, 600, '"429"'].map((status) => [
      hook(`rateStatus = ${status}`),
      "5: webhooks.pulls.rateStatus is not an HTTP status from 400 to 599, without quotes"
    ]),
    ...[200, 201, 600].map((status) => [
      hook(`pausedStatus = ${status}`),
      "5: webhooks.pulls.pausedStatus is not an HTTP status from 400 to 599, or 202, without quotes"
    ]),
    [hook("idHeader = 'X Id'"), '5: webhooks.pulls.idHeader is not the name of a header, such as "X-Request-Id"'],
    [hook("once = 'never'"), '5: webhooks.pulls.once "never" is not one of id, body'],
    [
      hook("once = 'body'\nidHeader = 'X-Id'"),
      '6: webhooks.pulls.idHeader has no effect beside once = "body"; remove one of them'
    ],
    [
      hook("tell = '123'"),
      '5: webhooks.pulls.tell is not a chat: write a channel and the id of a chat, such as "telegram:123456789"'
    ],
    [
      hook("tell = 'telegam:123'"),
      '5: webhooks.pulls.tell is not a chat: write a channel and the id of a chat, such as "telegram:123456789"; did you mean "telegram"?'
    ],
    [
      `${telegram}${hook("tell = 'telegram:@family'")}`,
      "7: webhooks.pulls.tell has no id of a chat on Telegram behind the colon, such as -1001234567890; /whoami shows it there"
    ],
    [hook("tell = 'telegram:123'"), "5: webhooks.pulls.tell needs [telegram], which is missing: its bot writes there"],
    [hook("answer = 'mail'"), '5: webhooks.pulls.answer "mail" is not one of http'],
    [
      hook("deadline = '1 minute'"),
      '5: webhooks.pulls.deadline has no effect without answer = "http"; add it, or remove this'
    ],
    [
      hook("answer = 'http'\ndeadline = 'soon'"),
      '6: webhooks.pulls.deadline is not a duration above 0, such as "7 days" or "12 hours"'
    ],
    [hook("promt = 'x'"), '5: unknown key "promt"; did you mean "prompt"?'],
    [
      hook("", '"a/b"'),
      '1: webhooks."a/b" is not a name for a path: use letters, digits, . _ and -, at most 60 of them'
    ],
    [hook("", '"é"'), '1: webhooks."é" is not a name for a path: use letters, digits, . _ and -, at most 60 of them'],
    ["webhooks.pulls = 5", "1: webhooks.pulls is a table: write [webhooks.pulls] above its keys"],
    [
      hook("conversation = 'ci'\nagent = 'codex'", "a") + hook("conversation = 'ci'", "b"),
      '7: webhooks.b shares the conversation "ci" with webhooks.a: give both the same agent, or this one another conversation'
    ],
    [
      hook("", "ci") + hook("conversation = 'ci'\npermissionMode = 'bypass'", "b"),
      '11: webhooks.b shares the conversation "ci" with webhooks.ci: give both the same permissionMode, or this one another conversation'
    ],
    [
      `[webhookServer]\nhost = "0.0.0.0"`,
      "2: webhookServer.host lets other machines in: add allowRemote = true, with webhookServer.tls, or use 127.0.0.1"
    ],
    [
      "[webhookServer]\nallowRemote = true",
      "2: webhookServer.allowRemote needs webhookServer.tls: without it, anyone on the network path can read deliveries"
    ],
    ["[webhookServer.tls]\ncert = '/c'", "1: webhookServer.tls needs both cert and key"],
    [
      "[webhookServer]\nport = 0",
      "2: webhookServer.port is not a port: a whole number from 1 to 65535, without quotes"
    ],
    ["[webhookServer]\npath = '/x'", '2: unknown key "path" (known of [webhookServer]: port, host, allowRemote, tls)']
  ])("with %j", (text, expected) => {
    assert.strictEqual(first(String(text)), expected)
  })

  it("have a secret in the file only if its owner alone can read it, and never show it", () => {
    const secret = "hunter2-hunter2-hunter2"
    const text = `[webhooks.pulls]\nsecret = "${secret}"\n${cut("secret")}`
    assert.isTrue(Result.isSuccess(check(text)))
    const open = check(text, false)
    assert.deepStrictEqual(
      Result.mapError(open, (found) => found.map(({ line, problem }) => `${line}: ${problem}`)),
      Result.fail(['2: webhooks.pulls.secret stands in a file that others can read: chmod 600 "/c/reins.toml"'])
    )
    assert.notInclude(JSON.stringify(open), secret)
    assert.notInclude(String(first(text.replace(`"${secret}"`, `"${secret} "`))), secret)
    assert.notInclude(String(first(text.replace(`"${secret}"`, "hunter2"))), "hunter2")
  })
})

describe("keys of webhooks at a command line", () => {
  it.each([
    ["webhooks.pulls.prompt", "Look at {{a}}", Result.succeed("Look at {{a}}")],
    ["webhooks.pulls.rate", "5", Result.succeed(5)],
    ["webhooks.pulls.maxBytes", "5000", Result.succeed(5_000)],
    ["webhooks.pulls.rateStatus", "503", Result.succeed(503)],
    ["webhooks.pulls.deadline", "30s", Result.succeed("30 seconds")],
    ["webhookServer.port", "8080", Result.succeed(8_080)]
  ] as const)("%s = %s", (name, text, expected) => {
    const { key, path } = Result.getOrThrow(parseKey(name))
    assert.deepStrictEqual(path, name.split("."))
    assert.deepStrictEqual(readValue(key.form, text), expected)
  })

  it("refuse a secret", () => {
    const key = keyAt(["webhooks", "pulls", "secret"])
    assert.include(
      String(key && Result.getOrElse(Result.flip(readValue(key.form, "0123456789abcdef")), () => "")),
      "does not belong on a command line"
    )
  })
})

describe("the chat of an answer", () => {
  it.each([
    ["telegram:-1001234", { channel: "telegram", chatId: "-1001234" }],
    ["slack:C0123ABCD", { channel: "slack", chatId: "C0123ABCD" }],
    ["whatsapp:15551234567", { channel: "whatsapp", chatId: "15551234567" }],
    ["web:you", undefined],
    ["telegram:", undefined],
    ["telegram", undefined],
    ["telegram:1:2", undefined],
    ["__proto__:1", undefined]
  ] as const)("%s", (text, target) => {
    assert.deepStrictEqual(tellTargetOf(text), target)
  })
})

describe("the secrets of webhooks", () => {
  const webhooks = {
    a: { secret: { env: "HOOK" }, signature: "github", prompt: "x" },
    b: { secret: "fedcba9876543210", signature: "bearer", prompt: "x" }
  } as const
  const read = (host: Readonly<Record<string, string>>) =>
    Effect.runSync(Effect.provideService(Effect.result(readWebhookSecrets({ webhooks })), HostEnvironment, host))

  it("are read from their places", () => {
    const found = Result.getOrThrow(read({ HOOK: " 0123456789abcdef\n" }))
    assert.deepStrictEqual(
      [...found].map(([name, each]) => [name, Redacted.value(each)]),
      [
        ["a", "0123456789abcdef"],
        ["b", "fedcba9876543210"]
      ]
    )
    assert.notInclude(JSON.stringify([...found]), "fedcba")
  })

  it.each([
    [{}, "webhooks.a.secret.env: the variable HOOK is not set"],
    [
      { HOOK: "hunter2" },
      "webhooks.a.secret.env: HOOK is not a secret of 16 letters, digits and marks or more, without spaces: `openssl rand -hex 32` makes one"
    ]
  ])("with %j fail with the place", (host, problem) => {
    assert.deepStrictEqual(read(host), Result.fail(problem))
  })

  it("are in variables that no agent gets", () => {
    assert.deepStrictEqual(ownVariables({ agents: {}, directories: {}, webhooks }), ["HOOK"])
  })
})
