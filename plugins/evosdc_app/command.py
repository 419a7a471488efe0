"""``evosdc app``."""

from pathlib import Path

from evosdc.options.model import Options, argument, option

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class AppOptions(Options):
    """Open the workbench in a browser, for the files in FOLDER (default: the working folder) and no others.

    Only this computer and the browser that opened the address reach it. What it does it does by commands, which it
    shows; Ctrl-C ends it, and searches that it began continue.
    """

    folder: Path = argument(Path(), required=False)
    port: int = option(0, "Default: a free one.", metavar="N", ge=0, le=65535)
    host: str = option(
        "127.0.0.1",
        "Where to listen. Others than this computer need --certificate and --tls-key.",
        metavar="ADDRESS",
    )
    certificate: Path | None = option(None, "TLS certificate, PEM.", metavar="FILE")
    tls_key: Path | None = option(None, "The private key of the certificate, PEM.", metavar="FILE")
    browser: bool = option(True, "Open a browser.")
    most_upload: int = option(256, "Greatest file that may be uploaded.", metavar="MB", ge=1)


def app(options: AppOptions) -> None:
    """Serve the workbench."""
    from evosdc.errors import DataError, Fault, ParameterError

    folder = options.folder
    if not folder.is_dir():
        raise DataError(Fault(str(folder), "no folder", "a folder with data files"))
    host, certificate, key = options.host, options.certificate, options.tls_key
    if host not in _LOOPBACK and (certificate is None or key is None):
        wanted = "127.0.0.1, or also --certificate and --tls-key"
        raise ParameterError(Fault("--host", f"{host} without TLS", wanted, "Confidential files do not travel openly."))
    if (certificate is None) is not (key is None):
        raise ParameterError(Fault("--certificate", "one of --certificate and --tls-key", "both, or neither"))
    from evosdc_app.server import serve

    tls = (certificate, key) if certificate and key else None
    serve(folder, host, options.port, tls, options.browser, options.most_upload * 1_000_000)
