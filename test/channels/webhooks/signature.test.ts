/** Proofs of senders, ids of deliveries, and the rate: tables. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { deliveryIdOf } from "../../../src/channels/webhooks/incoming/deliveryId.ts"
import { makeRate } from "../../../src/channels/webhooks/incoming/rate.ts"
import { readSignature } from "../../../src/channels/webhooks/incoming/signature.ts"
import type { WebhookSignature } from "../../../src/channels/webhooks/webhookOptions.ts"

const secret = "a secret of 16 or more"
const body = Buffer.from('{"é":1}')
const now = 1_760_000_000_000
const seconds = String(now / 1_000)
const hex = (content: string | Buffer, key = secret) => createHmac("sha256", key).update(content).digest("hex")
const slack = (time = seconds, bytes = body.toString()) => `v0=${hex(`v0:${time}:${bytes}`)}`

const isTaken = (kind: WebhookSignature, headers: Record<string, string>, bytes: Uint8Array = body) =>
  readSignature(kind, { secret, headers: new Headers(headers), now })?.(bytes) === true

describe("a proof", () => {
  it.each<readonly [WebhookSignature, Record<string, string>]>([
    ["github", { "X-Hub-Signature-256": `sha256=${hex(body)}` }],
    ["github", { "x-hub-signature-256": `sha256=${hex(body).toUpperCase()}` }],
    ["gitlab", { "X-Gitlab-Token": secret }],
    ["bearer", { Authorization: "Bearer a-secret-of-16-or-more" }],
    ["hmac", { "X-Slack-Signature": slack(), "X-Slack-Request-Timestamp": seconds }],
    ...[-300, 300].map((age): readonly [WebhookSignature, Record<string, string>] => {
      const time = String(now / 1_000 + age)
      return ["hmac", { "X-Slack-Signature": slack(time), "X-Slack-Request-Timestamp": time }]
    })
  ])("of %s in %j is taken", (kind, headers) => {
    if (kind === "bearer") {
      const signed = { secret: "a-secret-of-16-or-more", headers: new Headers(headers), now }
      assert.isTrue(readSignature(kind, signed)?.(body))
    } else assert.isTrue(isTaken(kind, headers))
  })

  it.each<readonly [WebhookSignature, Record<string, string>]>([
    ["github", {}],
    ["github", { "x-hub-signature-256": "" }],
    ["github", { "x-hub-signature-256": "sha256=" }],
    ["github", { "x-hub-signature-256": hex(body) }],
    ["github", { "x-hub-signature-256": `sha256=${hex(body).slice(1)}` }],
    ["github", { "x-hub-signature-256": `sha256=${hex(body)}0` }],
    ["github", { "x-hub-signature-256": `sha256=${hex(body)}, sha256=${hex(body)}` }],
    ["github", { "x-hub-signature-256": `sha256=${hex(body, "another secret")}` }],
    ["github", { "x-hub-signature-256": `sha256=${hex(`${body.toString()} `)}` }],
    ["github", { "x-hub-signature": `sha1=${hex(body)}` }],
    ["github", { "x-gitlab-token": secret, authorization: `Bearer ${secret}` }],
    ["gitlab", {}],
    ["gitlab", { "x-gitlab-token": "" }],
    ["gitlab", { "x-gitlab-token": secret.slice(1) }],
    ["gitlab", { "x-gitlab-token": `${secret}x` }],
    ["gitlab", { "x-gitlab-token": secret.toUpperCase() }],
    ["bearer", {}],
    ["bearer", { authorization: "Bearer " }],
    ["bearer", { authorization: `Basic ${secret}` }],
    ["bearer", { authorization: "Bearer another-secret-of-16" }],
    ["hmac", {}],
    ["hmac", { "x-slack-signature": slack() }],
    ["hmac", { "x-slack-request-timestamp": seconds }],
    ["hmac", { "x-slack-signature": slack().replace("v0", "v1"), "x-slack-request-timestamp": seconds }],
    ["hmac", { "x-slack-signature": slack("1"), "x-slack-request-timestamp": seconds }],
    ["hmac", { "x-slack-signature": slack("-1"), "x-slack-request-timestamp": "-1" }],
    ["hmac", { "x-slack-signature": slack("1e9"), "x-slack-request-timestamp": "1e9" }],
    ["hmac", { "x-slack-signature": slack(), "x-slack-request-timestamp": `${seconds}.0` }],
    ...[-301, 301, -86_400].map((age): readonly [WebhookSignature, Record<string, string>] => {
      const time = String(now / 1_000 + age)
      return ["hmac", { "x-slack-signature": slack(time), "x-slack-request-timestamp": time }]
    })
  ])("of %s in %j is refused", (kind, headers) => {
    assert.isFalse(isTaken(kind, headers))
  })

  it("is of its body alone", () => {
    const other = Buffer.from('{"é":2}')
    assert.isFalse(isTaken("github", { "x-hub-signature-256": `sha256=${hex(body)}` }, other))
    assert.isFalse(isTaken("hmac", { "x-slack-signature": slack(), "x-slack-request-timestamp": seconds }, other))
  })
})

describe("the id of a delivery", () => {
  const idOf = (
    signature: WebhookSignature,
    headers: Record<string, string>,
    more: { readonly idHeader?: string; readonly once?: "id" | "body" } = {}
  ) => deliveryIdOf({ signature, ...more }, new Headers(headers), body)
  const ofBody = idOf("bearer", {})

  it.each([
    [
      "github",
      { "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" },
      {},
      "72d3162e-cc78-11e3-81ab-4c9367dc0958"
    ],
    ["gitlab", { "X-Gitlab-Event-UUID": "e", "Idempotency-Key": "k" }, {}, "k"],
    ["gitlab", { "X-Gitlab-Event-UUID": "e" }, {}, "e"],
    ["bearer", { "Idempotency-Key": "k" }, {}, "k"],
    ["bearer", { "X-Request-Id": "r", "Idempotency-Key": "k" }, { idHeader: "x-request-id" }, "r"],
    ["hmac", {}, {}, ofBody],
    ["hmac", { "Idempotency-Key": "k" }, {}, ofBody],
    ["hmac", { "X-Request-Id": "r" }, { idHeader: "X-Request-Id" }, "r"],
    ["github", { "X-GitHub-Delivery": " " }, {}, ofBody],
    ["github", { "X-GitHub-Delivery": "d" }, { once: "body" }, ofBody],
    ["bearer", { "Idempotency-Key": "k" }, { idHeader: "x-request-id" }, ofBody]
  ] as const)("of %s with %j and %j", (signature, headers, more, id) => {
    assert.strictEqual(idOf(signature, headers, more), id)
  })

  it("is short and plain, whatever the header has", () => {
    const ids = ["a b", "x".repeat(10_000), "../../etc", "é", "a/b", "<b>", "'; drop table inbox; --"].map((id) =>
      idOf("bearer", { "idempotency-key": encodeURI(id) === id ? id : encodeURIComponent(id) })
    )
    for (const id of [...ids, ofBody]) assert.match(id, /^[\w.:-]{1,100}$/)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})

describe("the rate of a webhook", () => {
  it("is that of any minute, and says when the next one is taken", () => {
    const { take } = makeRate(2)
    assert.deepStrictEqual([0, 10_000, 20_000, 59_999, 60_000, 60_001, 69_999, 70_000].map(take), [
      ...[0, 0, 40_000, 1, 0, 9_999, 1, 0]
    ])
  })

  it("takes no more, however many come", () => {
    const { take } = makeRate(10)
    const waits = Array.from({ length: 100_000 }, (_, at) => take(at / 10))
    assert.strictEqual(waits.filter((wait) => wait === 0).length, 10)
  })
})
