/**
 * The members of a TestRun that ours have, and no others, as the k6 operator documents them
 * (k6.io/v1alpha1 in the page crd-generated of grafana/k6-operator 1.6.0). A cluster drops a member it
 * does not know without a word, so a misspelt one has to be found here. The operator's whole
 * definition is not kept here; K6_OPERATOR_CRD names the file of one to hold the manifests against.
 */
const text = { type: "string", minLength: 1 };
const name = { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };

function closed(properties: object, required: readonly string[] = Object.keys(properties)): object {
  return { type: "object", properties, required, additionalProperties: false };
}

function listOf(items: object): object {
  return { type: "array", items };
}

const environment = listOf({
  oneOf: [
    closed({ name: text, value: { type: "string" } }),
    closed({
      name: text,
      valueFrom: {
        oneOf: [
          closed({ secretKeyRef: closed({ name, key: text }) }),
          closed({ fieldRef: closed({ fieldPath: text }) }),
        ],
      },
    }),
  ],
});

const volume = {
  oneOf: [
    closed({
      name,
      configMap: closed({ name, items: listOf(closed({ key: text, path: text })) }),
    }),
    closed({ name, persistentVolumeClaim: closed({ claimName: name }) }),
  ],
};

const mount = closed({ name, mountPath: text, readOnly: { type: "boolean" }, subPathExpr: text }, [
  "name",
  "mountPath",
]);

const pod = closed({
  image: text,
  env: environment,
  securityContext: closed({
    runAsNonRoot: { type: "boolean" },
    runAsUser: { type: "integer" },
    fsGroup: { type: "integer" },
  }),
  volumes: listOf(volume),
  volumeMounts: listOf(mount),
});

const metadata = closed({
  name,
  labels: { type: "object", additionalProperties: { type: "string", maxLength: 63 } },
});

export const testRunSchema = closed({
  apiVersion: { const: "k6.io/v1alpha1" },
  kind: { const: "TestRun" },
  metadata,
  spec: closed({
    parallelism: { type: "integer", minimum: 1 },
    script: closed({ localFile: text }),
    arguments: text,
    initializer: pod,
    runner: pod,
  }),
});

export const configMapSchema = closed({
  apiVersion: { const: "v1" },
  kind: { const: "ConfigMap" },
  metadata,
  data: {
    type: "object",
    propertyNames: { pattern: "^[-._a-zA-Z0-9]{1,253}$" },
    additionalProperties: { type: "string" },
  },
});
