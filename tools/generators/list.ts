import { copyFile, cp, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../lab/run-program.ts';
import { type Generator, once, type Place } from './generator.ts';

const scenarios = fileURLToPath(new URL('scenarios/', import.meta.url));
const openapiGenerator = '7.25.0';

const jarFolder = ({ cache }: Place) => join(cache, `openapi-generator-${openapiGenerator}`);
const environmentOf = ({ cache }: Place, name: string) => join(cache, name);
const pythonOf = (environment: string) => join(environment, 'bin', 'python');

/** Makes a virtual environment with these packages, once. */
async function prepareEnvironment({ run }: Place, folder: string, packages: readonly string[]): Promise<void> {
  await once(folder, async () => {
    await run(['python3', '-m', 'venv', folder]);
    await run([pythonOf(folder), '-m', 'pip', 'install', '--quiet', ...packages]);
  });
}

/** Fetches the jar from Maven Central, once. */
async function prepareJar(place: Place): Promise<void> {
  const folder = jarFolder(place);
  await once(folder, async () => {
    const artifact = `org.openapitools:openapi-generator-cli:${openapiGenerator}`;
    await place.run(['mvn', '-B', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
    await rename(join(folder, `openapi-generator-cli-${openapiGenerator}.jar`), join(folder, 'generator.jar'));
  });
}

/** Generates into the folder `generated`. */
async function generateByJar(place: Place, language: string): Promise<void> {
  const jar = join(jarFolder(place), 'generator.jar');
  await place.run(['java', '-jar', jar, 'generate', '-g', language, '-i', place.document, '-o', 'generated']);
}

const openapiPythonClient: Generator = {
  name: 'openapi-python-client',
  version: '0.29.1',
  document: '/openapi.json',
  needs: ['python3'],
  prepare: (place) =>
    prepareEnvironment(place, environmentOf(place, `openapi-python-client-${openapiPythonClient.version}`), [
      `openapi-python-client==${openapiPythonClient.version}`,
    ]),
  async generate(place) {
    const bin = join(environmentOf(place, `openapi-python-client-${openapiPythonClient.version}`), 'bin');
    // It lays out what it has written by a program that it looks for on PATH.
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    await place.run([join(bin, 'openapi-python-client'), 'generate', '--path', place.document], { env });
    await rename(join(place.folder, 'payments-service-client'), join(place.folder, 'generated'));
    await copyFile(join(scenarios, 'openapi_python_client.py'), join(place.folder, 'generated', 'scenario.py'));
  },
  compile: (place) => importAll(place, openapiPythonClient.command(place)[0] ?? '', 'payments_service_client'),
  command: (place) => [
    pythonOf(environmentOf(place, `openapi-python-client-${openapiPythonClient.version}`)),
    'generated/scenario.py',
  ],
};

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  version: '2.8.2',
  document: '/openapi.json',
  needs: ['go'],
  async prepare({ folder, run }) {
    const requirements = 'require github.com/oapi-codegen/runtime v1.8.0';
    await writeFile(join(folder, 'go.mod'), `module scenario\n\ngo 1.24.0\n\n${requirements}\n`);
    await copyFile(join(scenarios, 'oapi_codegen.go'), join(folder, 'main.go'));
    await run(['go', 'mod', 'download']);
    await mkdir(join(folder, 'api'));
  },
  async generate({ document, run }) {
    const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${oapiCodegen.version}`;
    await run(['go', 'run', program, '-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', document]);
  },
  async compile({ run }) {
    await run(['go', 'mod', 'tidy']);
    await run(['go', 'build', '-o', 'scenario', '.']);
  },
  command: ({ folder }) => [join(folder, 'scenario')],
};

const typescriptFetch: Generator = {
  name: 'openapi-generator typescript-fetch',
  version: openapiGenerator,
  document: '/openapi.compat.json',
  needs: ['java', 'mvn'],
  prepare: prepareJar,
  async generate(place) {
    await generateByJar(place, 'typescript-fetch');
    await copyFile(join(scenarios, 'typescript_fetch.ts'), join(place.folder, 'main.ts'));
    await writeFile(join(place.folder, 'package.json'), '{ "type": "commonjs" }\n');
  },
  async compile({ run }) {
    const options = '--strict --skipLibCheck --ignoreConfig --module nodenext --lib es2023,dom --target es2023';
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const files = ['main.ts', 'generated/index.ts'];
    await run([process.execPath, compiler, ...options.split(' '), '--types', '', '--outDir', 'compiled', ...files]);
  },
  command: () => [process.execPath, 'compiled/main.js'],
};

const python: Generator = {
  name: 'openapi-generator python',
  version: openapiGenerator,
  document: '/openapi.compat.json',
  needs: ['java', 'mvn', 'python3'],
  async prepare(place) {
    await prepareJar(place);
    const folder = environmentOf(place, `openapi-generator-python-${openapiGenerator}`);
    const packages = ['urllib3<3,>=2.7', 'python-dateutil>=2.8.2', 'pydantic>=2.11', 'typing-extensions>=4.7.1'];
    await prepareEnvironment(place, folder, packages);
  },
  async generate(place) {
    await generateByJar(place, 'python');
    await copyFile(join(scenarios, 'openapi_generator.py'), join(place.folder, 'generated', 'scenario.py'));
  },
  compile: (place) => importAll(place, python.command(place)[0] ?? '', 'openapi_client'),
  command: (place) => [
    pythonOf(environmentOf(place, `openapi-generator-python-${openapiGenerator}`)),
    'generated/scenario.py',
  ],
};

const java: Generator = {
  name: 'openapi-generator java',
  version: openapiGenerator,
  document: '/openapi.compat.json',
  needs: ['java', 'javac', 'mvn'],
  prepare: prepareJar,
  async generate(place) {
    await generateByJar(place, 'java');
    const sources = join(place.folder, 'generated/src/main/java');
    await cp(sources, join(place.folder, 'sources'), { recursive: true });
    await copyFile(join(scenarios, 'OpenApiGenerator.java'), join(place.folder, 'sources/OpenApiGenerator.java'));
  },
  async compile({ folder, run }) {
    const copy = 'dependency:copy-dependencies';
    const libraries = `-DoutputDirectory=${join(folder, 'libraries')}`;
    await run(['mvn', '-B', '-q', '-f', 'generated/pom.xml', copy, '-DincludeScope=compile', libraries]);
    const files = await readdir(join(folder, 'sources'), { recursive: true });
    const sources = files.filter((file) => file.endsWith('.java')).map((file) => join('sources', file));
    await run(['javac', '-nowarn', '-proc:none', '-d', 'classes', '-cp', 'libraries/*', ...sources]);
  },
  command: () => ['java', '-cp', 'classes:libraries/*', 'OpenApiGenerator'],
};

/** Imports every module of a generated package in Python, which compiles it. */
async function importAll({ run }: Place, program: string, name: string): Promise<void> {
  const code = `import importlib, pkgutil, sys
sys.path.insert(0, "generated")
package = importlib.import_module("${name}")
for module in pkgutil.walk_packages(package.__path__, "${name}."):
    importlib.import_module(module.name)`;
  await run([program, '-c', code]);
}

/** In the order of the table; the two that take the least time first. */
export const generators: readonly Generator[] = [openapiPythonClient, oapiCodegen, typescriptFetch, python, java];
