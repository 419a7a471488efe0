"""``evosdc app``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(short_help="Open the workbench in a browser.")
@click.argument("folder", type=PATH, default=Path())
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Default: a free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True,
    help="Where to listen. Any other than this computer needs --certificate and --key.",
)  # fmt: skip
@click.option("--certificate", type=PATH, metavar="FILE", help="TLS certificate, PEM.")
@click.option("--key", type=PATH, metavar="FILE", help="Its private key, PEM.")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open a browser.")
@click.option(
    "--most-upload", "upload", type=click.IntRange(min=1), default=256, show_default=True, metavar="MB",
    help="Greatest file that may be uploaded.",
)  # fmt: skip
def app(
    folder: Path, port: int, host: str, certificate: Path | None, key: Path | None, browser: bool, upload: int
) -> None:
    """Open the workbench in a browser, for the files in FOLDER (default: the working folder) and no others.

    Only this computer and the browser that opened the address reach it. What it does it does by commands, which it
    shows; Ctrl-C ends it, and searches that it began go on.
    """
    from evosdc.errors import DataError, Fault, ParameterError

    if not folder.is_dir():
        raise DataError(Fault(str(folder), "no folder", "a folder with data files"))
    if host not in _LOOPBACK and (certificate is None or key is None):
        wanted = "127.0.0.1, or --certificate and --key besides"
        raise ParameterError(Fault("--host", f"{host} without TLS", wanted, "Confidential files do not travel openly."))
    if (certificate is None) is not (key is None):
        raise ParameterError(Fault("--certificate", "one of --certificate and --key", "both, or neither"))
    from evosdc_app.server import serve

    serve(folder, host, port, (certificate, key) if certificate and key else None, browser, upload * 1_000_000)
