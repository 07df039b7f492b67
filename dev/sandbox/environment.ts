/**
 * What a sandbox takes from the environment: how to find programs, folders, package indexes and proxies. A project that
 * uses the sandbox has a PORT, a DATABASE_URL or a LOG_LEVEL of its own, which must not reach the service.
 */
const taken =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LC_\w+|XDG_\w+|VIRTUAL_ENV|PIP_\w+|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|REQUESTS_CA_BUNDLE)$/i;

/** Removes all other variables from the environment of this process, and so from that of the processes it starts. */
export function leaveForeignEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (!taken.test(name)) delete env[name];
  }
}
